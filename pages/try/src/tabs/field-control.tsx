import type { TemplateField } from '@scriptorium/client';
import { useId } from 'preact/hooks';
import { Choice, Toggle, Words } from '../parts/controls.tsx';
import { SignaturePad } from '../parts/signature-pad.tsx';
import { TableEditor } from '../parts/table-editor.tsx';
import { setValue, values } from './fill-state.ts';

/** The control for one field of a template, by its type. */
export function FieldControl({ field }: { field: TemplateField }) {
  const { id, type, options } = field;
  const label = field.label ?? id;
  const value = values.value[id];
  if (type === 'table')
    return (
      <TableEditor
        label={label}
        columns={options.columns ?? 3}
        rows={Array.isArray(value) ? value : []}
        onChange={(rows) => setValue(id, rows)}
      />
    );
  if (type === 'image')
    return <PicturePicker label={label} value={String(value ?? '')} onChange={(uri) => setValue(id, uri)} />;
  if (type === 'signature')
    return <SignaturePad label={label} value={String(value ?? '')} onChange={(uri) => setValue(id, uri)} />;
  if (options.control === 'checkbox')
    return <Toggle label={label} checked={value === true} onChange={(checked) => setValue(id, checked)} />;
  if (options.choices !== undefined && options.choices.length > 0)
    return (
      <Choice
        label={label}
        value={String(value ?? '')}
        choices={[['', 'As in the template'], ...options.choices.map((choice) => [choice, choice] as const)]}
        onChange={(chosen) => setValue(id, chosen)}
      />
    );
  return (
    <Words
      label={<bdi>{label}</bdi>}
      value={String(value ?? '')}
      placeholder={field.current}
      hint={options.dateFormat === undefined ? undefined : `A date, shown as ${options.dateFormat}`}
      onInput={(text) => setValue(id, text)}
    />
  );
}

interface PicturePickerProps {
  label: string;
  value: string;
  onChange: (uri: string) => void;
}

export function PicturePicker({ label, value, onChange }: PicturePickerProps) {
  const id = useId();
  const read = ({ currentTarget }: { currentTarget: HTMLInputElement }): void => {
    const [picture] = currentTarget.files ?? [];
    if (picture === undefined) return;
    const reader = new FileReader();
    reader.onload = () => onChange(String(reader.result));
    reader.readAsDataURL(picture);
  };
  return (
    <div class="field picture">
      <label for={id}>
        <bdi>{label}</bdi>
      </label>
      <input id={id} type="file" accept="image/*" onChange={read} />
      {value !== '' && (
        <span class="picked">
          <img src={value} alt="Chosen" />
          <button type="button" class="link" onClick={() => onChange('')}>
            Remove
          </button>
        </span>
      )}
    </div>
  );
}
