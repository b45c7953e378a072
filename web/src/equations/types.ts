// The equations of a model as the solver's module returns them (wasm/module.h): the sparse JSON of POST /equations with
// MathML.

/** A point fixed to a body (0 is the ground), from its mass centre in its axes. */
export interface Place {
  body: number;
  at: number[];
}

export type Value = number | null | Value[];

export interface EquationSymbol {
  name: string;
  kind: "scalar" | "vector" | "matrix";
  mathml: string;
  latex: string;
  meaning: string;
  unit?: string;
  value: Value;
  bodies?: (string | null)[];
  joint?: string;
  from?: Place;
  to?: Place;
}

/** A row or a column of blocks. */
export interface Axis {
  label: string;
  size: number;
  bodies?: string[];
  element?: string;
  /** The first row that is equal except for its indices. */
  like?: number;
}

export interface Block {
  row: number;
  column?: number;
  text: string;
  latex: string;
  mathml: string;
  value: (number | null)[][];
  closed?: true;
}

export interface Matrix {
  rows: Axis[];
  columns?: Axis[];
  blocks: Block[];
}

export interface Branch {
  body: string;
  on: string;
  joint?: string;
}

export const MATRICES = ["B", "Bdot_thetad", "C", "D", "Jac_p", "rhsV", "rhsA", "M", "h"] as const;
export type MatrixName = (typeof MATRICES)[number];

export type Equations = {
  model_name: string;
  formulation: "joint" | "body";
  t: number;
  words: string[];
  system: string[];
  tree: Branch[];
  symbols: EquationSymbol[];
} & { [name in MatrixName]?: Matrix };

/** The numbers without the structure, in the same order. */
export interface Numbers {
  t: number;
  symbols: Value[];
  matrices: { [name in MatrixName]?: (number | null)[][][] };
}

/** The state of the numbers: that of the module's session, or one in the order of the document. */
export type At = "session" | { t: number; q: number[]; v: number[] };
