import type { Option } from '@scriptorium/client/options';
import { Choice, Toggle, Words } from './controls.tsx';

interface OptionProps {
  option: Option;
  /** Absent if it is the default. */
  value: string | number | boolean | undefined;
  onChange: (value: string | boolean) => void;
}

/** The control of an option, with the label, the values and the default of the contract. */
function OptionControl({ option, value, onChange }: OptionProps) {
  const { name, title = name, type, default: byDefault, absent = '', unit, min, max } = option;
  if (type === 'switch')
    return <Toggle label={title} checked={(value ?? byDefault) === true} onChange={onChange} />;
  if (type === 'choice') {
    const { choices = [], choiceNames = {} } = option;
    const named = choices.map((choice) => [choice, choiceNames[choice] ?? choice] as const);
    return (
      <Choice
        label={title}
        value={String(value ?? byDefault ?? '')}
        choices={byDefault === undefined ? [['', absent], ...named] : named}
        onChange={onChange}
      />
    );
  }
  return (
    <Words
      label={unit === undefined ? title : `${title} (${unit})`}
      value={String(value ?? '')}
      placeholder={String(byDefault ?? absent)}
      onInput={onChange}
      {...(type === 'number' && { type, min, max })}
    />
  );
}

interface OptionDetailsProps {
  options: readonly Option[];
  /** Those that differ from their defaults. */
  chosen: Readonly<Record<string, string | number | boolean>>;
  onChange: (option: Option, value: string | boolean) => void;
}

/** The controls of options, which open on demand. */
export function OptionDetails({ options, chosen, onChange }: OptionDetailsProps) {
  return (
    <details class="options">
      <summary>Options</summary>
      {options.map((option) => (
        <OptionControl
          key={option.name}
          option={option}
          value={chosen[option.name]}
          onChange={(value) => onChange(option, value)}
        />
      ))}
    </details>
  );
}
