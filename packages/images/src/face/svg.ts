export { rasterize, setTextFont, simplify } from '../svg/rasterizer.ts';
export { SvgRefusal } from '../svg/svg-style.ts';
export { findTextFont } from '../svg/text-font.ts';
