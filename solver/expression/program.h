/* program.h - the compiled form of an expression. */
#ifndef MBS_PROGRAM_H
#define MBS_PROGRAM_H

#include "expression/expression.h"

typedef enum mbs_op {
  MBS_OP_constant, /* of an emitter's nodes only: */
  MBS_OP_input,
  MBS_OP_select, /* a != 0 ? b : c */
#define MBS_SMOOTH(name, text, operands, value, first_a, first_b, second_aa, second_ab, second_bb) MBS_OP_##name,
#define MBS_SWITCH(name, text, operands, guard, value, first_a, first_b) MBS_OP_##name,
#define MBS_LOGIC(name, text, operands, value) MBS_OP_##name,
#include "expression/instructions.def"
  MBS_OP_COUNT
} mbs_op;

typedef struct mbs_instruction {
  mbs_op op;
  int a, b; /* slots of the operands; b = a where there is one */
  int c;    /* select: slot of the third operand; a switch: its number */
} mbs_instruction;

/* Slots hold the constants, then the inputs, then the value of each instruction. */
struct mbs_expression {
  const double *constants;     /* [constant_count] */
  const int *inputs;           /* [input_count] numbers of the scope */
  const mbs_instruction *code; /* [code_count] */
  const int *switches;         /* [switch_count] the instruction of each switch, ascending */
  size_t constant_count, input_count, code_count, switch_count;
  int result; /* slot */
};

/* Values of code[first], ..., code[last - 1] into slots[base + first], ...; mode as in expression.h. */
void mbs_instructions_run(const mbs_instruction *code, size_t first, size_t last, const double *mode, double *slots,
                          size_t base);

#endif
