#include "expression/emitter.h"

#include "base/message.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct node {
  mbs_op op;
  int operands[3]; /* nodes; for an input or a parameter its number in the scope */
  const mbs_lookup *table;
  double value;   /* value of constants */
  bool constant;  /* also an instruction on parameters, or one that was not folded because its value is not finite */
  bool dependent; /* a constant for these parameters only */
  int column;
} node;

struct mbs_emitter {
  node *nodes;
  int count;
  mbs_decision *decisions; /* decisions of constants that depend on parameters; `slot` is a node */
  size_t decision_count, decision_capacity;
  int *table; /* [table_size] hash table of nodes: number + 1, 0 if free */
  size_t table_size;
  int *slots; /* slot of each node in the program */
  int spare;  /* remaining nodes for signs that replace quotients */
};

/* Largest number of nodes for signs that replace quotients in one expression; beyond it quotients are not replaced. */
enum { SPARE_NODES = 64 };

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

mbs_emitter *mbs_emitter_new(mbs_arena *scratch, size_t most) {
  mbs_emitter *emitter = mbs_arena_alloc(scratch, 1, sizeof *emitter);
  if (emitter == NULL) {
    return NULL;
  }
  size_t capacity = most + SPARE_NODES;
  emitter->spare = SPARE_NODES;
  emitter->table_size = 4;
  while (emitter->table_size < 2 * capacity) {
    emitter->table_size *= 2;
  }
  emitter->decision_capacity = 2 * capacity; /* an instruction decides on at most two operands */
  emitter->decisions = mbs_arena_alloc(scratch, emitter->decision_capacity, sizeof *emitter->decisions);
  emitter->nodes = mbs_arena_alloc(scratch, capacity, sizeof *emitter->nodes);
  emitter->table = mbs_arena_alloc(scratch, emitter->table_size, sizeof *emitter->table);
  emitter->slots = mbs_arena_alloc(scratch, capacity, sizeof *emitter->slots);
  bool complete = emitter->nodes != NULL && emitter->table != NULL && emitter->slots != NULL;
  return complete && emitter->decisions != NULL ? emitter : NULL;
}

/* ---- nodes --------------------------------------------------------------------------------------------------- */

static size_t hash_bytes(size_t hash, const void *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) {
    hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x01000193; /* FNV-1a */
  }
  return hash;
}

/* Returns the bits of a number. Numbers are compared by their bits, so that 0 and -0 differ. */
static uint64_t bits(double value) {
  uint64_t image = 0;
  memcpy(&image, &value, sizeof image);
  return image;
}

static bool same(const node *x, const node *y) {
  return x->op == y->op && x->table == y->table && memcmp(x->operands, y->operands, sizeof x->operands) == 0 &&
         (x->op != MBS_OP_constant || bits(x->value) == bits(y->value));
}

/* Returns the number of a node like this one, and creates it if there is none. */
static int intern(mbs_emitter *emitter, const node *wanted) {
  size_t hash = hash_bytes(0x811C9DC5, &wanted->op, sizeof wanted->op);
  hash = hash_bytes(hash, wanted->operands, sizeof wanted->operands);
  hash = hash_bytes(hash, &wanted->table, sizeof wanted->table);
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
  assert((size_t)emitter->count < emitter->table_size / 2);
  emitter->nodes[emitter->count] = *wanted;
  emitter->table[place] = emitter->count + 1;
  return emitter->count++;
}

int mbs_emitter_constant(mbs_emitter *emitter, double value) {
  return intern(emitter, &(node){.op = MBS_OP_constant, .value = value, .constant = true});
}

int mbs_emitter_parameter(mbs_emitter *emitter, int number, double value) {
  return intern(
      emitter,
      &(node){.op = MBS_OP_parameter, .operands = {number}, .value = value, .constant = true, .dependent = true});
}

int mbs_emitter_input(mbs_emitter *emitter, int number) {
  return intern(emitter, &(node){.op = MBS_OP_input, .operands = {number}});
}

bool mbs_emitter_is_constant(const mbs_emitter *emitter, int number, double *value) {
  assert(number >= 0 && number < emitter->count);
  *value = emitter->nodes[number].value;
  return emitter->nodes[number].constant;
}

void mbs_emitter_decide(mbs_emitter *emitter, int number, mbs_decision_kind kind) {
  assert(number >= 0 && number < emitter->count);
  const node *decided = &emitter->nodes[number];
  if (!decided->dependent || emitter->decision_count == emitter->decision_capacity) {
    return;
  }
  emitter->decisions[emitter->decision_count++] = (mbs_decision){number, kind, decided->value};
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
  return mbs_emitter_look_up(emitter, op, NULL, x, y, column);
}

int mbs_emitter_look_up(mbs_emitter *emitter, mbs_op op, const mbs_lookup *table, int x, int y, int column) {
  assert(op < MBS_OP_COUNT && op_infos[op].operands > 0);
  const node *nodes = emitter->nodes;
  y = op_infos[op].operands == 2 ? y : x;
  assert(x >= 0 && x < emitter->count && y >= 0 && y < emitter->count);
  if (op == MBS_OP_divide) {
    mbs_emitter_decide(emitter, y, MBS_DECISION_DIVISOR);
  }
  if (op == MBS_OP_and || op == MBS_OP_or) {
    mbs_emitter_decide(emitter, x, MBS_DECISION_TRUTH);
    mbs_emitter_decide(emitter, y, MBS_DECISION_TRUTH);
  }
  /* A side that determines && or || does so even if the other one has no value. */
  if (op == MBS_OP_and && (is_constant_zero(emitter, x) || is_constant_zero(emitter, y))) {
    return mbs_emitter_constant(emitter, 0);
  }
  if (op == MBS_OP_or && (is_constant_true(emitter, x) || is_constant_true(emitter, y))) {
    return mbs_emitter_constant(emitter, 1);
  }
  if (is_broken(emitter, x) || is_broken(emitter, y)) {
    return is_broken(emitter, x) ? x : y;
  }
  node made = {.op = op, .operands = {x, y}, .table = table, .column = column};
  if (op == MBS_OP_divide && is_constant_zero(emitter, y)) {
    made.constant = true; /* x / 0 is a constant for any value of x */
    made.value = NAN;
  } else if (nodes[x].constant && nodes[y].constant) {
    double slots[3] = {nodes[x].value, nodes[y].value, 0};
    mbs_instructions_run(&(mbs_instruction){op, 0, 1, 0, table}, 0, 1, NULL, slots, 2);
    made.dependent = nodes[x].dependent || nodes[y].dependent;
    if (isfinite(slots[2]) && !made.dependent) {
      return mbs_emitter_constant(emitter, slots[2]);
    }
    made.constant = true;
    made.value = slots[2];
  }
  return intern(emitter, &made);
}

/* ---- quotients that are signs -------------------------------------------------------------------------------- */

/* Returns 1 if two nodes are equal, -1 if one is the negative of the other, else 0. */
static int likeness(const mbs_emitter *emitter, int x, int y) {
  const node *one = &emitter->nodes[x], *other = &emitter->nodes[y];
  if (x == y) return 1;
  if (one->op == MBS_OP_negate && one->operands[0] == y) return -1;
  if (other->op == MBS_OP_negate && other->operands[0] == x) return -1;
  bool swapped = one->op == MBS_OP_subtract && other->op == MBS_OP_subtract && one->operands[0] == other->operands[1] &&
                 one->operands[1] == other->operands[0];
  return swapped ? -1 : 0;
}

/* Returns the node e if `number` is abs(e), or sqrt(e e); otherwise -1. */
static int absolute_of(const mbs_emitter *emitter, int number) {
  const node *each = &emitter->nodes[number];
  if (each->constant) return -1;
  if (each->op == MBS_OP_abs) return each->operands[0];
  bool half = each->op == MBS_OP_fixed_power && emitter->nodes[each->operands[1]].op == MBS_OP_constant &&
              emitter->nodes[each->operands[1]].value == 0.5;
  if (each->op != MBS_OP_sqrt && !half) return -1;
  const node *square = &emitter->nodes[each->operands[0]];
  return square->op == MBS_OP_multiply && square->operands[0] == square->operands[1] ? square->operands[0] : -1;
}

/* Returns node x, `depth` operations inside its product, with sign(e) in place of its factor e or -e; -1 if it has no
 * such factor, or no nodes remain. */
static int with_sign(mbs_emitter *emitter, int x, int e, int depth, int column) {
  const node each = emitter->nodes[x];
  const int like = likeness(emitter, x, e);
  if (depth + 3 > emitter->spare) return -1; /* the sign, its negative, and one operation per level */
  if (like != 0) {
    emitter->spare -= 2;
    assert(emitter->spare >= 0);
    const int sign = mbs_emitter_apply(emitter, MBS_OP_sign, e, e, column);
    return like > 0 ? sign : mbs_emitter_apply(emitter, MBS_OP_negate, sign, sign, column);
  }
  if (each.constant) return -1;
  const bool product = each.op == MBS_OP_multiply;
  if (!product && each.op != MBS_OP_divide && each.op != MBS_OP_negate) return -1;
  int first = with_sign(emitter, each.operands[0], e, depth + 1, column), second = each.operands[1];
  if (first < 0) {
    first = each.operands[0];
    second = product && first != second ? with_sign(emitter, second, e, depth + 1, column) : -1;
    if (second < 0) return -1;
  }
  emitter->spare--;
  return mbs_emitter_apply(emitter, each.op, first, second, column);
}

/* Returns x / y without the factor abs(e) of y, if x has the factor e; otherwise -1. `depth`: number of operations to
 * create. */
static int cancel(mbs_emitter *emitter, int x, int y, int depth, int column) {
  const node divisor = emitter->nodes[y];
  const int e = absolute_of(emitter, y);
  if (e >= 0) return with_sign(emitter, x, e, depth, column);
  if (divisor.constant || divisor.op != MBS_OP_multiply) return -1;
  const int factors = divisor.operands[0] == divisor.operands[1] ? 1 : 2; /* squares of squares are tried once */
  for (int k = 0; k < factors; k++) {
    const int left = cancel(emitter, x, divisor.operands[k], depth + 1, column);
    if (left < 0) continue;
    emitter->spare--;
    return mbs_emitter_apply(emitter, MBS_OP_divide, left, divisor.operands[1 - k], column);
  }
  return -1;
}

int mbs_emitter_divide(mbs_emitter *emitter, int x, int y, int column) {
  const int left = cancel(emitter, x, y, 0, column);
  return left >= 0 ? left : mbs_emitter_apply(emitter, MBS_OP_divide, x, y, column);
}

int mbs_emitter_multiply(mbs_emitter *emitter, int x, int y, int column) {
  for (int k = 0; k < 2; k++) {
    const node quotient = emitter->nodes[k ? x : y];
    if (quotient.constant || quotient.op != MBS_OP_divide) continue;
    const int left = cancel(emitter, k ? y : x, quotient.operands[1], 1, column);
    if (left < 0) continue;
    emitter->spare--;
    return mbs_emitter_apply(emitter, MBS_OP_multiply, left, quotient.operands[0], column);
  }
  return mbs_emitter_apply(emitter, MBS_OP_multiply, x, y, column);
}

int mbs_emitter_select(mbs_emitter *emitter, int condition, int x, int y, int column) {
  assert(condition >= 0 && condition < emitter->count);
  assert(x >= 0 && x < emitter->count && y >= 0 && y < emitter->count);
  if (is_broken(emitter, condition)) {
    return condition;
  }
  mbs_emitter_decide(emitter, condition, MBS_DECISION_TRUTH);
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
    mbs_message(message, 512, "at column %d: division by zero", broken->column);
  } else if (broken->table != NULL) {
    mbs_message(message, 512, "at column %d: %.100s has no value for %.6g, which is outside of its table",
                broken->column, broken->table->name, a->value);
  } else if (info->operands == 1) {
    mbs_message(message, 512, "at column %d: %s(%.6g) is not a finite number", broken->column, info->text, a->value);
  } else if (isalpha((unsigned char)info->text[0])) {
    mbs_message(message, 512, "at column %d: %s(%.6g, %.6g) is not a finite number", broken->column, info->text,
                a->value, b->value);
  } else {
    mbs_message(message, 512, "at column %d: %.6g %s %.6g is not a finite number", broken->column, a->value, info->text,
                b->value);
  }
}

/* Marks (slot 0) the nodes that `root` and marked nodes need; operands of a node for which `ends` is true are not
 * needed. */
static void mark_needed(mbs_emitter *emitter, int root, bool (*ends)(const node *)) {
  for (int i = root; i >= 0; i--) { /* operands precede the nodes that need them */
    const node *each = &emitter->nodes[i];
    for (int k = 0; emitter->slots[i] == 0 && !ends(each) && k < op_infos[each->op].operands; k++) {
      emitter->slots[each->operands[k]] = 0;
    }
  }
}

static bool is_constant_node(const node *each) { return each->constant; }

static bool is_literal(const node *each) { return each->op == MBS_OP_constant; }

/* Numbers the marked nodes up to `root` from 0 on: first those for which `leaf` is true, then inputs or parameters,
 * then instructions. Counts them in that order. */
static void number_slots(mbs_emitter *emitter, int root, bool (*leaf)(const node *), mbs_op named, size_t counts[3]) {
  int next[3] = {0, 0, 0};
  counts[0] = counts[1] = counts[2] = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i <= root; i++) {
      const node *each = &emitter->nodes[i];
      int kind = leaf(each) ? 0 : each->op == named ? 1 : 2;
      if (emitter->slots[i] < 0) {
        continue;
      }
      if (pass == 0) {
        counts[kind]++;
      } else {
        emitter->slots[i] = next[kind]++;
      }
    }
    next[0] = 0;
    next[1] = (int)counts[0];
    next[2] = next[1] + (int)counts[1];
  }
}

static void clear_slots(mbs_emitter *emitter) {
  for (int i = 0; i < emitter->count; i++) {
    emitter->slots[i] = -1;
  }
}

static bool alloc_program(mbs_arena *arena, mbs_program *program, const size_t counts[3]) {
  *program = (mbs_program){.literals = mbs_arena_alloc(arena, counts[0], sizeof *program->literals),
                           .names = mbs_arena_alloc(arena, counts[1], sizeof *program->names),
                           .code = mbs_arena_alloc(arena, counts[2], sizeof *program->code),
                           .literal_count = counts[0],
                           .name_count = counts[1],
                           .code_count = counts[2]};
  return program->literals != NULL && program->names != NULL && program->code != NULL;
}

/* Fills a program from the numbered nodes. */
static void fill_program(const mbs_emitter *emitter, int root, bool (*leaf)(const node *), mbs_op named,
                         mbs_program *program) {
  const int *slots = emitter->slots;
  const int first_name = (int)program->literal_count, first_code = first_name + (int)program->name_count;
  for (int i = 0; i <= root; i++) {
    const node *each = &emitter->nodes[i];
    if (slots[i] < 0) {
      continue;
    }
    if (leaf(each)) {
      assert((size_t)slots[i] < program->literal_count);
      program->literals[slots[i]] = each->value;
    } else if (each->op == named) {
      assert(slots[i] >= first_name && slots[i] < first_code);
      program->names[slots[i] - first_name] = each->operands[0];
    } else {
      assert(slots[i] >= first_code && (size_t)(slots[i] - first_code) < program->code_count);
      mbs_instruction *in = &program->code[slots[i] - first_code];
      *in = (mbs_instruction){each->op, slots[each->operands[0]], slots[each->operands[1]], 0, each->table};
      if (each->op == MBS_OP_select) {
        in->c = slots[each->operands[2]];
      }
    }
  }
}

/* Numbers the switches of the program. Returns false if memory runs out. */
static bool number_switches(mbs_expression *expression, mbs_arena *arena) {
  for (size_t i = 0; i < expression->program.code_count; i++) {
    expression->switch_count += op_infos[expression->program.code[i].op].is_switch;
  }
  int *switches = mbs_arena_alloc(arena, expression->switch_count, sizeof *switches), next = 0;
  for (size_t i = 0; i < expression->program.code_count && switches != NULL; i++) {
    if (op_infos[expression->program.code[i].op].is_switch) {
      expression->program.code[i].c = next;
      assert((size_t)next < expression->switch_count);
      switches[next++] = (int)i;
    }
  }
  expression->switches = switches;
  return switches != NULL;
}

/* Finds the nodes of the constants of an expression, whose slots are numbered. Returns true if any depends on
 * parameters. */
static bool find_sources(const mbs_emitter *emitter, int root, int *sources) {
  bool dependent = false;
  for (int i = 0; i <= root; i++) {
    const node *each = &emitter->nodes[i];
    if (emitter->slots[i] < 0 || !each->constant) {
      continue;
    }
    assert(emitter->slots[i] <= i);
    sources[emitter->slots[i]] = i;
    dependent = dependent || each->dependent;
  }
  return dependent;
}

/* Creates the program over parameters that computes the constants with the nodes `sources` [count], which are replaced
 * by slots, and the decisions. Returns false if memory runs out. */
static bool fill_dependence(mbs_emitter *emitter, int *sources, size_t count, mbs_arena *arena, mbs_dependence *made) {
  size_t counts[3];
  int last = emitter->count - 1;
  mbs_decision *decisions = mbs_arena_alloc(arena, emitter->decision_count, sizeof *decisions);
  clear_slots(emitter);
  for (size_t k = 0; k < count; k++) {
    emitter->slots[sources[k]] = 0;
  }
  for (size_t k = 0; k < emitter->decision_count; k++) {
    emitter->slots[emitter->decisions[k].slot] = 0;
  }
  mark_needed(emitter, last, is_literal);
  number_slots(emitter, last, is_literal, MBS_OP_parameter, counts);
  if (decisions == NULL || !alloc_program(arena, &made->program, counts)) {
    return false;
  }
  fill_program(emitter, last, is_literal, MBS_OP_parameter, &made->program);
  for (size_t k = 0; k < count; k++) {
    sources[k] = emitter->slots[sources[k]];
  }
  for (size_t k = 0; k < emitter->decision_count; k++) {
    decisions[k] = emitter->decisions[k];
    decisions[k].slot = emitter->slots[decisions[k].slot];
  }
  made->sources = sources;
  made->decisions = decisions;
  made->decision_count = emitter->decision_count;
  return true;
}

/* Creates the dependence of an expression's constants or form on parameters, if there is any. Returns false if memory
 * runs out. */
static bool build_dependence(mbs_emitter *emitter, int root, mbs_arena *arena, mbs_expression *expression) {
  size_t count = expression->program.literal_count;
  int *sources = mbs_arena_alloc(arena, count, sizeof *sources);
  if (sources == NULL) {
    return false;
  }
  if (!find_sources(emitter, root, sources) && emitter->decision_count == 0) {
    return true;
  }
  mbs_dependence *made = mbs_arena_alloc(arena, 1, sizeof *made);
  if (made == NULL || !fill_dependence(emitter, sources, count, arena, made)) {
    return false;
  }
  expression->dependence = made;
  return true;
}

mbs_expression *mbs_emitter_finish(mbs_emitter *emitter, int root, mbs_arena *arena, char message[512]) {
  assert(root >= 0 && root < emitter->count);
  if (is_broken(emitter, root)) {
    describe_broken(emitter, root, message);
    return NULL;
  }
  mbs_expression *made = mbs_arena_alloc(arena, 1, sizeof *made);
  size_t counts[3];
  clear_slots(emitter);
  emitter->slots[root] = 0;
  mark_needed(emitter, root, is_constant_node);
  number_slots(emitter, root, is_constant_node, MBS_OP_input, counts);
  bool complete = made != NULL && alloc_program(arena, &made->program, counts);
  if (complete) {
    made->result = emitter->slots[root];
    made->constants = made->program.literals;
    fill_program(emitter, root, is_constant_node, MBS_OP_input, &made->program);
    complete = number_switches(made, arena) && build_dependence(emitter, root, arena, made);
  }
  if (!complete) {
    mbs_message(message, 512, "out of memory");
    return NULL;
  }
  return made;
}

mbs_expression *mbs_expression_constant(mbs_arena *arena, double value) {
  mbs_expression *made = mbs_arena_alloc(arena, 1, sizeof *made);
  if (made == NULL || !alloc_program(arena, &made->program, (const size_t[3]){1, 0, 0})) {
    return NULL;
  }
  made->program.literals[0] = value;
  made->constants = made->program.literals;
  return made;
}
