/* mbs/api.h - marks the functions that the shared library exports. */
#ifndef MBS_MBS_API_H
#define MBS_MBS_API_H

#ifdef __cplusplus
#define MBS_API extern "C" __attribute__((visibility("default")))
#else
#define MBS_API __attribute__((visibility("default")))
#endif

#endif
