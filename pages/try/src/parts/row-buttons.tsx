interface RowButtonsProps {
  /** What moves, such as `row 2`. */
  what: string;
  at: number;
  count: number;
  onMove: (to: number) => void;
  onRemove: () => void;
}

/** Moves and removes one of several things, also with the keyboard. */
export function RowButtons({ what, at, count, onMove, onRemove }: RowButtonsProps) {
  return (
    <span class="row-buttons">
      <button
        type="button"
        class="icon"
        aria-label={`Move ${what} up`}
        disabled={at === 0}
        onClick={() => onMove(at - 1)}
      >
        <span aria-hidden="true">↑</span>
      </button>
      <button
        type="button"
        class="icon"
        aria-label={`Move ${what} down`}
        disabled={at === count - 1}
        onClick={() => onMove(at + 1)}
      >
        <span aria-hidden="true">↓</span>
      </button>
      <button type="button" class="icon" aria-label={`Remove ${what}`} onClick={onRemove}>
        <span aria-hidden="true">×</span>
      </button>
    </span>
  );
}

/** The list with one entry at another place. */
export function moved<Item>(list: readonly Item[], from: number, to: number): Item[] {
  const item = list[from];
  return item === undefined ? [...list] : list.toSpliced(from, 1).toSpliced(to, 0, item);
}
