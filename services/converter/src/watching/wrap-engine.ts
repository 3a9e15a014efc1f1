import type { ConversionRequest, Engine, EngineResult, RowMaker } from '../engines/engine.ts';

/** Surrounds the work on one document, such as to measure it. It returns the result, or throws what the work throws. */
type Around = (
  engine: string,
  request: ConversionRequest,
  work: () => Promise<EngineResult>,
) => Promise<EngineResult>;

/** Returns the engine with `around` for each document and each row. */
export function wrapEngine(engine: Engine, around: Around): Engine {
  const { name } = engine;
  return {
    name,
    start: () => engine.start(),
    health: () => engine.health(),
    close: () => engine.close(),
    convert: (input, request, run) => around(name, request, () => engine.convert(input, request, run)),
    openRows: () => wrapRows(name, engine.openRows?.(), around),
  };
}

function wrapRows(name: string, rows: RowMaker | undefined, around: Around): RowMaker | undefined {
  return (
    rows && {
      convert: (input, request, run) => around(name, request, () => rows.convert(input, request, run)),
      fill: (form, row, request, run) => around(name, request, () => rows.fill(form, row, request, run)),
      close: () => rows.close(),
    }
  );
}

/** Returns the engine with a report of each end of its work: the error, or none. */
export function watchedEngine(engine: Engine, report: { count(error?: unknown): void }): Engine {
  return wrapEngine(engine, async (_name, _request, work) => {
    try {
      const result = await work();
      report.count();
      return result;
    } catch (error) {
      report.count(error);
      throw error;
    }
  });
}
