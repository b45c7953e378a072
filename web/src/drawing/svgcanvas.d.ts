// What is used of svgcanvas, which has no types of its own.
declare module "svgcanvas/dist/svgcanvas.esm.js" {
  export interface SvgContext extends CanvasRenderingContext2D {
    getSvg(): SVGSVGElement;
    getSerializedSvg(): string;
  }
  export const Context: new (width: number, height: number) => SvgContext;
}
