// The part of the package fourier-transform that is used; it comes without types.
declare module "fourier-transform" {
  /** The magnitudes of the spectrum of N values, N a power of two: N/2 of them, 1 for a cosine of amplitude 1. They are
   * overwritten by the next call with as many values. */
  export default function rfft(values: Float64Array, output?: Float64Array): Float64Array;
}
