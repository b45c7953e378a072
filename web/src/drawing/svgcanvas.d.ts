// The part of svgcanvas that the page uses; the package has no types.
declare module "svgcanvas/dist/svgcanvas.esm.js" {
  export interface SvgContext extends CanvasRenderingContext2D {
    getSvg(): SVGSVGElement;
    getSerializedSvg(): string;
  }
  export const Context: new (width: number, height: number) => SvgContext;
}
