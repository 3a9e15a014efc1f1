import { z } from 'zod';

/** A list of 1 to `entriesMax` entries. One that is too long is refused as such, its entries unread: each may have an issue. */
export const listOf = <Entry extends z.ZodType>(entry: Entry, entriesMax: number) =>
  z.preprocess(
    (value, context) => {
      if (Array.isArray(value) && value.length > entriesMax)
        context.addIssue({ code: 'custom', message: `may have at most ${entriesMax} entries`, input: value });
      return value;
    },
    z.array(entry).min(1, 'needs an entry').meta({ maxItems: entriesMax }),
  );
