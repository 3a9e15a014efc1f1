export { rasterise, setTextFont } from '../svg/rasteriser.ts';
export { SvgRefusal } from '../svg/svg-style.ts';
export { findTextFont } from '../svg/text-font.ts';
