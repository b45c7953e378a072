// Expressions over parameters, as far as a drawing needs them: numbers, names, + - * / ^ and the usual functions. What
// is not among these is for the service, and has no value here.

const FUNCTIONS: Record<string, (...values: number[]) => number> = {
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  asin: Math.asin,
  acos: Math.acos,
  atan: Math.atan,
  sinh: Math.sinh,
  cosh: Math.cosh,
  tanh: Math.tanh,
  exp: Math.exp,
  log: Math.log,
  sqrt: Math.sqrt,
  atan2: Math.atan2,
  pow: Math.pow,
  abs: Math.abs,
  sign: Math.sign,
  floor: Math.floor,
  min: Math.min,
  max: Math.max,
};

const TOKEN = /\s*(?:((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|([A-Za-z_]\w*)|(.))/gy;

type Token = { number?: number; name?: string; sign?: string };

function tokens(text: string): Token[] {
  return [...text.trim().matchAll(TOKEN)].map(([, number, name, sign]) =>
    number !== undefined ? { number: Number(number) } : { name, sign },
  );
}

/** A reader of tokens; NaN is what has no value. */
class Reader {
  private next = 0;

  constructor(
    private readonly tokens: Token[],
    private readonly names: ReadonlyMap<string, number>,
  ) {}

  whole(): number {
    const value = this.sum();
    return this.next === this.tokens.length ? value : NaN;
  }

  private takes(...signs: string[]): string | undefined {
    const sign = this.tokens[this.next]?.sign;
    if (sign === undefined || !signs.includes(sign)) return undefined;
    this.next++;
    return sign;
  }

  private sum(): number {
    let value = this.product();
    for (let sign; (sign = this.takes("+", "-")); ) value += sign === "+" ? this.product() : -this.product();
    return value;
  }

  private product(): number {
    let value = this.signed();
    for (let sign; (sign = this.takes("*", "/")); ) value = sign === "*" ? value * this.signed() : value / this.signed();
    return value;
  }

  /** A sign binds less than a power: -2^2 is -4. */
  private signed(): number {
    const sign = this.takes("-", "+");
    if (sign) return sign === "-" ? -this.signed() : this.signed();
    const base = this.single();
    return this.takes("^") ? base ** this.signed() : base;
  }

  private single(): number {
    if (this.takes("(")) {
      const value = this.sum();
      return this.takes(")") ? value : NaN;
    }
    const token = this.tokens[this.next++];
    if (token?.name === undefined) return token?.number ?? NaN;
    return this.takes("(") ? this.call(token.name) : (this.names.get(token.name) ?? NaN);
  }

  private call(name: string): number {
    const values = [this.sum()];
    while (this.takes(",")) values.push(this.sum());
    return this.takes(")") && Object.hasOwn(FUNCTIONS, name) ? (FUNCTIONS[name]?.(...values) ?? NaN) : NaN;
  }
}

/** The value of an expression; undefined where it has none here. */
export function evaluate(text: string, names: ReadonlyMap<string, number>): number | undefined {
  const value = new Reader(tokens(text), names).whole();
  return Number.isFinite(value) ? value : undefined;
}
