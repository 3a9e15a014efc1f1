import { effect, type Signal } from '@preact/signals';
import type { PageOverlay, PageSize } from '../parts/pdf-view.ts';

/** Where the signature shows: points from the upper left corner of a page. */
export interface Box {
  page: number;
  x: number;
  y: number;
  width: number;
  height: number;
}

const STEP = 6;
const SIZE_MIN = 24;

/** Returns the box as the service takes it: from the lower left corner. */
export function appearanceOf(box: Box, { height }: PageSize) {
  const round = (value: number): number => Math.round(value * 10) / 10;
  return {
    page: box.page,
    rectangle: {
      x: round(box.x),
      y: round(height - box.y - box.height),
      width: round(box.width),
      height: round(box.height),
    },
  };
}

const within = (value: number, max: number): number => Math.min(Math.max(0, value), Math.max(0, max));

export function fitted(box: Box, { width, height }: PageSize): Box {
  const size = {
    width: Math.min(Math.max(SIZE_MIN, box.width), width),
    height: Math.min(Math.max(SIZE_MIN, box.height), height),
  };
  return { ...box, ...size, x: within(box.x, width - size.width), y: within(box.y, height - size.height) };
}

const MOVES: Record<string, readonly [number, number]> = {
  ArrowLeft: [-STEP, 0],
  ArrowRight: [STEP, 0],
  ArrowUp: [0, -STEP],
  ArrowDown: [0, STEP],
};

/** Draws the box over its page. It is moved and resized by dragging, and with arrow keys; a drag on the page draws it anew. */
export function placementOverlay(
  box: Signal<Box>,
  ordinal: number,
  onSize: (page: number, size: PageSize) => void,
): PageOverlay {
  return (page, number, size) => {
    onSize(number, size);
    const layer = document.createElement('div');
    layer.className = 'placing';
    const handle = document.createElement('div');
    handle.className = 'placed';
    handle.tabIndex = 0;
    handle.setAttribute('role', 'button');
    handle.setAttribute(
      'aria-label',
      `Place of the signature${ordinal > 1 ? ` ${ordinal}` : ''}: arrow keys move it, with Shift they change its size`,
    );
    const corner = document.createElement('span');
    corner.className = 'corner';
    handle.append(corner);
    layer.append(handle);
    page.append(layer);
    const change = (next: Box): void => {
      box.value = fitted(next, size);
    };
    const stop = effect(() => {
      const { value } = box;
      handle.hidden = value.page !== number;
      place(handle, value, size);
    });
    whenGone(layer, stop);
    handle.addEventListener('keydown', (event) => onKey(event, box.value, change));
    layer.addEventListener('pointerdown', (event) => {
      const scale = size.width / layer.clientWidth;
      if (event.target === corner) drag(event, scale, box.value, resized, change);
      else if (event.target === handle) drag(event, scale, box.value, moved, change);
      else if (event.pointerType === 'mouse')
        drag(event, scale, drawnFrom(event, layer, scale, number), resized, change);
    });
  };
}

const moved = (box: Box, dx: number, dy: number): Box => ({ ...box, x: box.x + dx, y: box.y + dy });
const resized = (box: Box, dx: number, dy: number): Box => ({
  ...box,
  width: box.width + dx,
  height: box.height + dy,
});

function drawnFrom(event: PointerEvent, layer: HTMLElement, scale: number, page: number): Box {
  const { left, top } = layer.getBoundingClientRect();
  return { page, x: (event.clientX - left) * scale, y: (event.clientY - top) * scale, width: 0, height: 0 };
}

function onKey(event: KeyboardEvent, box: Box, change: (box: Box) => void): void {
  const move = MOVES[event.key];
  if (move === undefined) return;
  event.preventDefault();
  change((event.shiftKey ? resized : moved)(box, ...move));
}

function drag(
  start: PointerEvent,
  scale: number,
  box: Box,
  by: typeof moved,
  change: (box: Box) => void,
): void {
  start.preventDefault();
  const target = start.currentTarget as HTMLElement;
  target.setPointerCapture(start.pointerId);
  const follow = (event: PointerEvent): void =>
    change(by(box, (event.clientX - start.clientX) * scale, (event.clientY - start.clientY) * scale));
  const end = (): void => target.removeEventListener('pointermove', follow);
  target.addEventListener('pointermove', follow);
  target.addEventListener('pointerup', end, { once: true });
  target.addEventListener('pointercancel', end, { once: true });
}

function place(element: HTMLElement, box: Box, { width, height }: PageSize): void {
  const share = (part: number, whole: number): string => `${(100 * part) / whole}%`;
  element.style.left = share(box.x, width);
  element.style.top = share(box.y, height);
  element.style.width = share(box.width, width);
  element.style.height = share(box.height, height);
}

/** Pages far from the window are taken apart: what was drawn over them then ends. */
function whenGone(element: HTMLElement, stop: () => void): void {
  const watcher = new MutationObserver(() => {
    if (element.isConnected) return;
    stop();
    watcher.disconnect();
  });
  if (element.parentElement !== null) watcher.observe(element.parentElement, { childList: true });
}
