import { useSignal } from '@preact/signals';
import { useId, useMemo, useRef } from 'preact/hooks';

interface SignaturePadProps {
  label: string;
  value: string;
  onChange: (uri: string) => void;
}

const WIDTH = 480;
const HEIGHT = 140;
const INK = '#1d3557';

/** A signature as a picture: drawn with a pointer, or a name that is typed. */
export function SignaturePad({ label, value, onChange }: SignaturePadProps) {
  const id = useId();
  const canvas = useRef<HTMLCanvasElement>(null);
  const pen = useMemo(() => new Pen(() => canvas.current), []);
  const name = useSignal('');
  const clear = (): void => {
    pen.clear();
    name.value = '';
  };
  const begin = (event: PointerEvent): void => {
    if (name.value !== '') clear();
    pen.begin(event);
  };
  const write = (text: string): void => {
    pen.write(text);
    name.value = text;
    onChange(text.trim() === '' ? '' : pen.picture());
  };
  const end = (): void => {
    if (pen.end()) onChange(pen.picture());
  };
  const remove = (): void => {
    clear();
    onChange('');
  };
  return (
    <fieldset class="field signature">
      <legend>
        <bdi>{label}</bdi>
      </legend>
      <canvas
        ref={canvas}
        width={WIDTH}
        height={HEIGHT}
        aria-label="Draw a signature here, or type a name below"
        role="img"
        onPointerDown={begin}
        onPointerMove={(event) => pen.draw(event)}
        onPointerUp={end}
        onPointerCancel={end}
      />
      <div class="row">
        <input
          id={id}
          dir="auto"
          aria-label="Name as the signature"
          placeholder="Draw above, or type a name"
          value={name.value}
          onInput={({ currentTarget }) => write(currentTarget.value)}
        />
        {value !== '' && (
          <button type="button" class="link" onClick={remove}>
            Clear
          </button>
        )}
      </div>
    </fieldset>
  );
}

/** Draws on a canvas, which has its own pixels whatever its size on the page. */
class Pen {
  readonly #canvas: () => HTMLCanvasElement | null;
  #isDown = false;

  constructor(canvas: () => HTMLCanvasElement | null) {
    this.#canvas = canvas;
  }

  begin(event: PointerEvent): void {
    const ink = this.#ink();
    if (!ink) return;
    ink.canvas.setPointerCapture(event.pointerId);
    this.#isDown = true;
    Object.assign(ink, { strokeStyle: INK, lineWidth: 3, lineCap: 'round', lineJoin: 'round' });
    ink.beginPath();
    ink.moveTo(...pointOf(ink.canvas, event));
  }

  draw(event: PointerEvent): void {
    const ink = this.#ink();
    if (!this.#isDown || !ink) return;
    ink.lineTo(...pointOf(ink.canvas, event));
    ink.stroke();
  }

  /** Returns whether something was drawn. */
  end(): boolean {
    const wasDown = this.#isDown;
    this.#isDown = false;
    return wasDown;
  }

  write(text: string): void {
    this.clear();
    const ink = this.#ink();
    if (!ink) return;
    const font = 'italic 52px Georgia, "Liberation Serif", serif';
    Object.assign(ink, { fillStyle: INK, textBaseline: 'middle', font });
    ink.fillText(text, 16, HEIGHT / 2, WIDTH - 32);
  }

  clear(): void {
    this.#ink()?.clearRect(0, 0, WIDTH, HEIGHT);
  }

  picture(): string {
    return this.#canvas()?.toDataURL('image/png') ?? '';
  }

  #ink(): CanvasRenderingContext2D | null | undefined {
    return this.#canvas()?.getContext('2d');
  }
}

function pointOf(canvas: HTMLCanvasElement, event: PointerEvent): [number, number] {
  const { left, top, width } = canvas.getBoundingClientRect();
  const scale = WIDTH / width;
  return [(event.clientX - left) * scale, (event.clientY - top) * scale];
}
