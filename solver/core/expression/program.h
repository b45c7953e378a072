/* program.h - the compiled form of an expression. */
#ifndef MBS_PROGRAM_H
#define MBS_PROGRAM_H

#include "expression/expression.h"
#include "expression/lookup.h"

typedef enum mbs_op {
  MBS_OP_constant, /* the first three are for nodes of an emitter only */
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
  int a, b;                /* slots of the operands; b = a for a single operand */
  int c;                   /* select: slot of the third operand; a switch: its number */
  const mbs_lookup *table; /* table of a piece, a lookup or an entry */
} mbs_instruction;

/* Slots contain literals, then named values (inputs or parameters), then the value of each instruction. */
typedef struct mbs_program {
  double *literals;      /* [literal_count] */
  int *names;            /* [name_count] numbers of the scope */
  mbs_instruction *code; /* [code_count] */
  size_t literal_count, name_count, code_count;
} mbs_program;

/* Largest exponent of whole_power; for larger ones pow() is as fast and more precise. */
enum { MBS_LARGEST_WHOLE = 64 };

/* The property of a parameter-dependent constant that determined the form of an expression: true, false or not finite;
 * a divisor that is not 0; its value (an integer exponent); or not an integer. */
typedef enum mbs_decision_kind {
  MBS_DECISION_TRUTH,
  MBS_DECISION_DIVISOR,
  MBS_DECISION_VALUE,
  MBS_DECISION_FRACTION
} mbs_decision_kind;

typedef struct mbs_decision {
  int slot;
  mbs_decision_kind kind;
  double value; /* value at compilation */
} mbs_decision;

/* The dependence of an expression's constants on parameters. */
typedef struct mbs_dependence {
  mbs_program program;           /* program over parameters */
  const int *sources;            /* [constants of the expression] slots */
  const mbs_decision *decisions; /* [decision_count] */
  size_t decision_count;
} mbs_dependence;

struct mbs_expression {
  mbs_program program; /* program over inputs; its literals are the constants for the parameters of the document */
  double *constants;   /* [program.literal_count] */
  const int *switches; /* [switch_count] instruction of each switch, ascending */
  size_t switch_count;
  int result;                       /* slot */
  const mbs_dependence *dependence; /* dependence of the constants on parameters; NULL: none */
};

/* Computes code[first], ..., code[last - 1] into slots[base + first], ...; mode as in expression.h. */
void mbs_instructions_run(const mbs_instruction *code, size_t first, size_t last, const double *mode, double *slots,
                          size_t base);

#endif
