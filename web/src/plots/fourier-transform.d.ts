// The part of the package fourier-transform that the page uses; the package has no types.
declare module "fourier-transform" {
  /** Returns the magnitudes of the spectrum of N values, N a power of two: N/2 of them, 1 for a cosine of amplitude
   * 1. The next call with as many values overwrites them. */
  export default function rfft(values: Float64Array, output?: Float64Array): Float64Array;
}
