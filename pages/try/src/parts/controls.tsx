import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface ChoiceProps {
  label: string;
  value: string;
  choices: readonly (readonly [value: string, name: string])[];
  onChange: (value: string) => void;
}

export function Choice({ label, value, choices, onChange }: ChoiceProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {choices.map(([choice, name]) => (
          <option key={choice} value={choice} selected={choice === value}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}

/** The format of documents that are made from a template. */
export type MadeFormat = 'pdf' | 'docx';

interface MadeFormatProps {
  value: MadeFormat;
  onChange: (value: MadeFormat) => void;
}

export const MadeFormatChoice = ({ value, onChange }: MadeFormatProps) => (
  <Choice
    label="Result"
    value={value}
    choices={[
      ['pdf', 'PDF'],
      ['docx', 'Word (DOCX)'],
    ]}
    onChange={(chosen) => onChange(chosen as MadeFormat)}
  />
);

interface WordsProps {
  label: ComponentChildren;
  value: string;
  onInput: (text: string) => void;
  placeholder?: string;
  type?: 'text' | 'email' | 'number';
  hint?: string | undefined;
  inputMode?: 'numeric' | 'text';
  min?: number | undefined;
  max?: number | undefined;
  autoComplete?: string;
}

/** A line of text, in the direction of its content. */
export function Words({ label, value, onInput, hint, type = 'text', ...more }: WordsProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        // The types of Preact want one kind of field here.
        type={type as 'text'}
        dir="auto"
        value={value}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
        {...more}
      />
      {hint !== undefined && (
        <small id={`${id}-hint`}>
          <bdi>{hint}</bdi>
        </small>
      )}
    </div>
  );
}

interface ToggleProps {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

export function Toggle({ label, checked, onChange }: ToggleProps) {
  return (
    <label class="toggle">
      <input
        type="checkbox"
        checked={checked}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      <span>{label}</span>
    </label>
  );
}
