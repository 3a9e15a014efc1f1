import { z } from 'zod';

/** A list of 1 to `entriesMax` entries. The entries of a list that is too long are not checked: each could have an issue. */
export const listOf = <Entry extends z.ZodType>(entry: Entry, entriesMax: number) =>
  z.preprocess(
    (value, context) => {
      if (Array.isArray(value) && value.length > entriesMax)
        context.addIssue({
          code: 'custom',
          message: `must have at most ${entriesMax} entries`,
          input: value,
        });
      return value;
    },
    z.array(entry).min(1, 'must have at least one entry').meta({ maxItems: entriesMax }),
  );
