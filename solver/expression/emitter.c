#include "expression/emitter.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct node {
  mbs_op op;
  int operands[3]; /* nodes; of an input, its number in the scope */
  double value;    /* of constants */
  bool constant;   /* also an instruction that was not folded because its value is not finite */
  int column;
} node;

struct mbs_emitter {
  node *nodes;
  int count;
  int *table; /* [table_size] hash table of nodes: number + 1, 0 where free */
  size_t table_size;
  int *slots; /* by node, for the program */
};

typedef struct op_info {
  const char *text;
  int operands;
  bool is_switch;
} op_info;

static const op_info op_infos[MBS_OP_COUNT] = {
    [MBS_OP_select] = {"if", 3, false},
#define MBS_SMOOTH(name, text, operands, value, da, db, daa, dab, dbb) [MBS_OP_##name] = {text, operands, false},
#define MBS_SWITCH(name, text, operands, guard, value, da, db) [MBS_OP_##name] = {text, operands, true},
#define MBS_LOGIC(name, text, operands, value) [MBS_OP_##name] = {text, operands, false},
#include "expression/instructions.def"
};

mbs_emitter *mbs_emitter_new(mbs_arena *scratch, size_t length) {
  mbs_emitter *emitter = mbs_arena_alloc(scratch, 1, sizeof *emitter);
  if (emitter == NULL) {
    return NULL;
  }
  /* A name, a digit or a sign makes one node, '<' two (a comparison and its negation); a function makes fewer nodes
   * than its call has bytes. One more for an empty text. */
  size_t capacity = 2 * length + 1;
  emitter->table_size = 4;
  while (emitter->table_size < 2 * capacity) {
    emitter->table_size *= 2;
  }
  emitter->nodes = mbs_arena_alloc(scratch, capacity, sizeof *emitter->nodes);
  emitter->table = mbs_arena_alloc(scratch, emitter->table_size, sizeof *emitter->table);
  emitter->slots = mbs_arena_alloc(scratch, capacity, sizeof *emitter->slots);
  return emitter->nodes == NULL || emitter->table == NULL || emitter->slots == NULL ? NULL : emitter;
}

/* ---- nodes --------------------------------------------------------------------------------------------------- */

static size_t hash_bytes(size_t hash, const void *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) {
    hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x01000193; /* FNV-1a */
  }
  return hash;
}

/* Numbers are compared by their bits, so that 0 and -0 differ. */
static uint64_t bits(double value) {
  uint64_t image = 0;
  memcpy(&image, &value, sizeof image);
  return image;
}

static bool same(const node *x, const node *y) {
  return x->op == y->op && memcmp(x->operands, y->operands, sizeof x->operands) == 0 &&
         (x->op != MBS_OP_constant || bits(x->value) == bits(y->value));
}

/* The number of a node like this one, made if there is none yet. */
static int intern(mbs_emitter *emitter, const node *wanted) {
  size_t hash = hash_bytes(0x811C9DC5, &wanted->op, sizeof wanted->op);
  hash = hash_bytes(hash, wanted->operands, sizeof wanted->operands);
  if (wanted->op == MBS_OP_constant) {
    hash = hash_bytes(hash, &wanted->value, sizeof wanted->value);
  }
  size_t place = hash & (emitter->table_size - 1);
  while (emitter->table[place] != 0) {
    int number = emitter->table[place] - 1;
    if (same(&emitter->nodes[number], wanted)) {
      return number;
    }
    place = (place + 1) & (emitter->table_size - 1);
  }
  emitter->nodes[emitter->count] = *wanted;
  emitter->table[place] = emitter->count + 1;
  return emitter->count++;
}

int mbs_emitter_constant(mbs_emitter *emitter, double value) {
  return intern(emitter, &(node){.op = MBS_OP_constant, .value = value, .constant = true});
}

int mbs_emitter_input(mbs_emitter *emitter, int number) {
  return intern(emitter, &(node){.op = MBS_OP_input, .operands = {number}});
}

bool mbs_emitter_is_constant(const mbs_emitter *emitter, int number, double *value) {
  *value = emitter->nodes[number].value;
  return emitter->nodes[number].constant;
}

static bool is_broken(const mbs_emitter *emitter, int number) {
  return emitter->nodes[number].constant && !isfinite(emitter->nodes[number].value);
}

static bool is_constant_zero(const mbs_emitter *emitter, int number) {
  return emitter->nodes[number].constant && emitter->nodes[number].value == 0;
}

static bool is_constant_true(const mbs_emitter *emitter, int number) {
  return emitter->nodes[number].constant && emitter->nodes[number].value != 0 && !is_broken(emitter, number);
}

int mbs_emitter_apply(mbs_emitter *emitter, mbs_op op, int x, int y, int column) {
  const node *nodes = emitter->nodes;
  y = op_infos[op].operands == 2 ? y : x;
  /* A side that settles && or || does so even where the other one has no value. */
  if (op == MBS_OP_and && (is_constant_zero(emitter, x) || is_constant_zero(emitter, y))) {
    return mbs_emitter_constant(emitter, 0);
  }
  if (op == MBS_OP_or && (is_constant_true(emitter, x) || is_constant_true(emitter, y))) {
    return mbs_emitter_constant(emitter, 1);
  }
  if (is_broken(emitter, x) || is_broken(emitter, y)) {
    return is_broken(emitter, x) ? x : y;
  }
  node made = {.op = op, .operands = {x, y}, .column = column};
  if (op == MBS_OP_divide && is_constant_zero(emitter, y)) {
    made.constant = true; /* whatever x is */
    made.value = NAN;
  } else if (nodes[x].constant && nodes[y].constant) {
    double slots[3] = {nodes[x].value, nodes[y].value, 0};
    mbs_instructions_run(&(mbs_instruction){op, 0, 1, 0}, 0, 1, NULL, slots, 2);
    if (isfinite(slots[2])) {
      return mbs_emitter_constant(emitter, slots[2]);
    }
    made.constant = true;
    made.value = slots[2];
  }
  return intern(emitter, &made);
}

int mbs_emitter_select(mbs_emitter *emitter, int condition, int x, int y, int column) {
  if (is_broken(emitter, condition)) {
    return condition;
  }
  if (emitter->nodes[condition].constant) {
    return emitter->nodes[condition].value != 0 ? x : y;
  }
  if (is_broken(emitter, x) || is_broken(emitter, y)) {
    return is_broken(emitter, x) ? x : y;
  }
  return intern(emitter, &(node){.op = MBS_OP_select, .operands = {condition, x, y}, .column = column});
}

/* ---- the program --------------------------------------------------------------------------------------------- */

static void describe_broken(const mbs_emitter *emitter, int number, char message[512]) {
  const node *broken = &emitter->nodes[number];
  const op_info *info = &op_infos[broken->op];
  const node *a = &emitter->nodes[broken->operands[0]], *b = &emitter->nodes[broken->operands[1]];
  if (broken->op == MBS_OP_divide && b->value == 0) {
    snprintf(message, 512, "at column %d: division by zero", broken->column);
  } else if (info->operands == 1) {
    snprintf(message, 512, "at column %d: %s(%.6g) is not a finite number", broken->column, info->text, a->value);
  } else if (isalpha((unsigned char)info->text[0])) {
    snprintf(message, 512, "at column %d: %s(%.6g, %.6g) is not a finite number", broken->column, info->text, a->value,
             b->value);
  } else {
    snprintf(message, 512, "at column %d: %.6g %s %.6g is not a finite number", broken->column, a->value, info->text,
             b->value);
  }
}

/* Numbers the slots of what node `root` needs (the others get the slot -1) and counts it. */
static mbs_expression number_slots(mbs_emitter *emitter, int root) {
  mbs_expression program = {0};
  int *slots = emitter->slots;
  for (int i = 0; i < root; i++) {
    slots[i] = -1;
  }
  slots[root] = 0;
  for (int i = root; i >= 0; i--) { /* operands come before what needs them */
    const node *each = &emitter->nodes[i];
    if (slots[i] < 0) {
      continue;
    }
    program.constant_count += each->op == MBS_OP_constant;
    program.input_count += each->op == MBS_OP_input;
    program.code_count += op_infos[each->op].operands > 0;
    program.switch_count += op_infos[each->op].is_switch;
    for (int k = 0; k < op_infos[each->op].operands; k++) {
      slots[each->operands[k]] = 0;
    }
  }
  int next_constant = 0;
  int next_input = (int)program.constant_count;
  int next_code = next_input + (int)program.input_count;
  for (int i = 0; i <= root; i++) {
    if (slots[i] == 0) {
      mbs_op op = emitter->nodes[i].op;
      slots[i] = op == MBS_OP_constant ? next_constant++ : op == MBS_OP_input ? next_input++ : next_code++;
    }
  }
  program.result = slots[root];
  return program;
}

mbs_expression *mbs_emitter_finish(mbs_emitter *emitter, int root, mbs_arena *arena, char message[512]) {
  if (is_broken(emitter, root)) {
    describe_broken(emitter, root, message);
    return NULL;
  }
  const mbs_expression counted = number_slots(emitter, root);
  mbs_expression *program = mbs_arena_alloc(arena, 1, sizeof *program);
  double *constants = mbs_arena_alloc(arena, counted.constant_count, sizeof *constants);
  int *inputs = mbs_arena_alloc(arena, counted.input_count, sizeof *inputs);
  mbs_instruction *code = mbs_arena_alloc(arena, counted.code_count, sizeof *code);
  int *switches = mbs_arena_alloc(arena, counted.switch_count, sizeof *switches);
  if (program == NULL || constants == NULL || inputs == NULL || code == NULL || switches == NULL) {
    snprintf(message, 512, "out of memory");
    return NULL;
  }
  *program = counted;
  program->constants = constants;
  program->inputs = inputs;
  program->code = code;
  program->switches = switches;
  const int *slots = emitter->slots;
  const int first_input = (int)counted.constant_count, first_code = first_input + (int)counted.input_count;
  int switch_count = 0;
  for (int i = 0; i <= root; i++) {
    const node *each = &emitter->nodes[i];
    if (slots[i] < 0) {
      continue;
    }
    if (each->op == MBS_OP_constant) {
      constants[slots[i]] = each->value;
    } else if (each->op == MBS_OP_input) {
      inputs[slots[i] - first_input] = each->operands[0];
    } else {
      mbs_instruction *in = &code[slots[i] - first_code];
      *in = (mbs_instruction){each->op, slots[each->operands[0]], slots[each->operands[1]], 0};
      if (each->op == MBS_OP_select) {
        in->c = slots[each->operands[2]];
      } else if (op_infos[each->op].is_switch) {
        in->c = switch_count;
        switches[switch_count++] = slots[i] - first_code;
      }
    }
  }
  return program;
}

mbs_expression *mbs_expression_constant(mbs_arena *arena, double value) {
  mbs_expression *program = mbs_arena_alloc(arena, 1, sizeof *program);
  double *constant = mbs_arena_alloc(arena, 1, sizeof *constant);
  if (program == NULL || constant == NULL) {
    return NULL;
  }
  *constant = value;
  *program = (mbs_expression){.constants = constant, .constant_count = 1};
  return program;
}
