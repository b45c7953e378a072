/* id.c - see id.h. */
#include "server/base/id.h"

#include "server/base/clock.h"

#include <stdint.h>
#include <stdio.h>
#include <sys/random.h>

bool srv_id_new(char id[SERVICE_ID_SIZE]) {
  uint8_t b[16];
  if (getrandom(b, sizeof b, 0) != (ssize_t)sizeof b) return false;
  uint64_t milliseconds = (uint64_t)(srv_clock_wall() * 1e3);
  for (int i = 0; i < 6; i++) b[i] = (uint8_t)(milliseconds >> (40 - 8 * i));
  b[6] = (uint8_t)(0x70 | (b[6] & 0x0f)); /* version 7 */
  b[8] = (uint8_t)(0x80 | (b[8] & 0x3f)); /* the variant of RFC 9562 */
  snprintf(id, SERVICE_ID_SIZE, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1],
           b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
  return true;
}
