import { Choice, Toggle, Words } from '../parts/controls.tsx';
import { moved, RowButtons } from '../parts/row-buttons.tsx';
import { counted } from '../words.ts';
import { blankOf, isRecord, type Json, propertyOf, type Schema, shapeOf } from './data-shape.ts';
import { PicturePicker } from './field-control.tsx';
import { data, report, setData } from './fill-state.ts';

/** A form for the data of a template: objects, rows in rows, texts, switches and pictures. */
export function DataForm() {
  const { value } = data;
  const { schema, example } = report.value?.template ?? {};
  if (value === null) return <p class="note">The data is not JSON yet. Complete it under “Data (JSON)”.</p>;
  return (
    <form class="fields" onSubmit={(event) => event.preventDefault()}>
      <Value
        label=""
        path=""
        value={value}
        schema={schema as Schema | undefined}
        example={example as Json | undefined}
        onChange={setData}
      />
    </form>
  );
}

interface ValueProps {
  label: string;
  /** Where it is, in words: rows of two lists may have one number. */
  path: string;
  value: Json;
  schema: Schema | undefined;
  /** The same place in the example, of which new rows are made. */
  example: Json | undefined;
  onChange: (value: Json) => void;
}

function Value({ label, path, value, schema, example, onChange }: ValueProps) {
  const shape = shapeOf(schema, value);
  if (Array.isArray(value))
    return (
      <Rows label={label} path={path} value={value} schema={shape} example={example} onChange={onChange} />
    );
  if (isRecord(value)) {
    if ('$image' in value) {
      const { $image: image } = value;
      const source = isRecord(image) ? String(image.source ?? '') : '';
      return (
        <PicturePicker
          label={label}
          value={source}
          onChange={(uri) => onChange(uri === '' ? null : { $image: { source: uri } })}
        />
      );
    }
    return (
      <Properties
        label={label}
        path={path}
        value={value}
        schema={shape}
        example={example}
        onChange={onChange}
      />
    );
  }
  if (typeof value === 'boolean') return <Toggle label={label} checked={value} onChange={onChange} />;
  const choices = shape?.enum?.filter((choice) => typeof choice === 'string') ?? [];
  if (choices.length > 0)
    return (
      <Choice
        label={label}
        value={String(value ?? '')}
        choices={choices.map((choice) => [choice, choice] as const)}
        onChange={onChange}
      />
    );
  const isNumber = shape?.type === 'number' || shape?.type === 'integer';
  return (
    <Words
      label={<bdi>{label}</bdi>}
      value={String(value ?? '')}
      hint={shape?.format === undefined ? undefined : `A ${shape.format.replace('-', ' and ')}`}
      onInput={(text) =>
        onChange(isNumber && text.trim() !== '' && Number(text) === +text ? Number(text) : text)
      }
    />
  );
}

interface PropertiesProps extends ValueProps {
  value: Record<string, Json>;
}

function Properties({ label, path, value, schema, example, onChange }: PropertiesProps) {
  const controls = Object.entries(value).map(([name, inner]) => (
    <Value
      key={name}
      label={name}
      path={path === '' ? name : `${path}, ${name}`}
      value={inner}
      schema={propertyOf(schema, name)}
      example={isRecord(example) ? example[name] : undefined}
      onChange={(changed) => onChange({ ...value, [name]: changed })}
    />
  ));
  if (label === '') return <>{controls}</>;
  return (
    <fieldset class="group">
      <legend>
        <bdi>{label}</bdi>
      </legend>
      {controls}
    </fieldset>
  );
}

interface RowsProps extends ValueProps {
  value: Json[];
}

function Rows({ label, path, value, schema, example, onChange }: RowsProps) {
  const [first] = Array.isArray(example) ? example : [];
  return (
    <fieldset class="group rows">
      <legend>
        <bdi>{label}</bdi> <small>{counted(value.length, 'row')}</small>
      </legend>
      {value.map((row, at) => (
        <section class="group-row" key={at} aria-label={`${path}, row ${at + 1}`}>
          <div class="group-head">
            <small>Row {at + 1}</small>
            <RowButtons
              what={`row ${at + 1} of ${path}`}
              at={at}
              count={value.length}
              onMove={(to) => onChange(moved(value, at, to))}
              onRemove={() => onChange(value.toSpliced(at, 1))}
            />
          </div>
          <Value
            label={isRecord(row) ? '' : `${label} ${at + 1}`}
            path={`${path}, row ${at + 1}`}
            value={row}
            schema={schema?.items}
            example={first}
            onChange={(changed) => onChange(value.with(at, changed))}
          />
        </section>
      ))}
      <button
        type="button"
        class="link"
        onClick={() => onChange([...value, blankOf(first ?? value[0] ?? '')])}
      >
        Add a row to <bdi>{label}</bdi>
      </button>
    </fieldset>
  );
}
