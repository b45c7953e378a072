/* program.h - the compiled form of an expression. */
#ifndef MBS_PROGRAM_H
#define MBS_PROGRAM_H

#include "expression/expression.h"

typedef enum mbs_op {
  MBS_OP_constant, /* of an emitter's nodes only: */
  MBS_OP_parameter,
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

/* Slots hold literals, then what is named (inputs, or parameters), then the value of each instruction. */
typedef struct mbs_program {
  double *literals;      /* [literal_count] */
  int *names;            /* [name_count] numbers of the scope */
  mbs_instruction *code; /* [code_count] */
  size_t literal_count, name_count, code_count;
} mbs_program;

/* Exponents up to this one are whole_power's; above, pow() is as fast and more precise. */
enum { MBS_LARGEST_WHOLE = 64 };

/* What a constant that depends on parameters has decided about the form of an expression: by being true, false or not
 * finite, as a divisor by not being 0, by its value (a whole exponent), or by not being whole. */
typedef enum mbs_decision_kind {
  MBS_DECISION_TRUTH,
  MBS_DECISION_DIVISOR,
  MBS_DECISION_VALUE,
  MBS_DECISION_FRACTION
} mbs_decision_kind;

typedef struct mbs_decision {
  int slot;
  mbs_decision_kind kind;
  double value; /* that it had */
} mbs_decision;

/* How the constants of an expression follow from parameters. */
typedef struct mbs_dependence {
  mbs_program program;           /* of parameters */
  const int *sources;            /* [constants of the expression] slots */
  const mbs_decision *decisions; /* [decision_count] */
  size_t decision_count;
} mbs_dependence;

struct mbs_expression {
  mbs_program program; /* of inputs; its literals are the constants for the parameters of the document */
  double *constants;   /* [program.literal_count] */
  const int *switches; /* [switch_count] the instruction of each switch, ascending */
  size_t switch_count;
  int result;                       /* slot */
  const mbs_dependence *dependence; /* NULL: its constants depend on no parameter */
};

/* Values of code[first], ..., code[last - 1] into slots[base + first], ...; mode as in expression.h. */
void mbs_instructions_run(const mbs_instruction *code, size_t first, size_t last, const double *mode, double *slots,
                          size_t base);

#endif
