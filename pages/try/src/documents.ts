import { signal } from '@preact/signals';

/** A document that the service made, for the tabs after. */
export interface MadeDocument {
  bytes: Uint8Array<ArrayBuffer>;
  fileName: string;
  /** The tab that made it. */
  from: string;
}

export const lastMade = signal<MadeDocument | null>(null);
export const lastSigned = signal<MadeDocument | null>(null);

export const DOCX_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

const TYPES: Record<string, string> = {
  pdf: 'application/pdf',
  docx: DOCX_TYPE,
  png: 'image/png',
  txt: 'text/plain',
  html: 'text/html',
  zip: 'application/zip',
  json: 'application/json',
};

export const extensionOf = (name: string): string => /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? '';

export const fileOf = ({ bytes, fileName }: Pick<MadeDocument, 'bytes' | 'fileName'>): File =>
  new File([bytes], fileName, { type: TYPES[extensionOf(fileName)] ?? 'application/octet-stream' });

export function download(name: string, content: BlobPart | Blob): void {
  const blob =
    content instanceof Blob
      ? content
      : fileOf({ bytes: new Uint8Array(content as ArrayBuffer), fileName: name });
  const url = URL.createObjectURL(blob);
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Loads a sample of the service. */
export async function sample(name: string): Promise<File> {
  const response = await fetch(`../${name}`);
  return new File([await response.arrayBuffer()], name);
}

const HANDED_OVER = 'scriptorium-handed-over';

/** Takes the file that was dropped on the start page, and forgets it there. */
export function takeHandedOver(): Promise<File | null> {
  return new Promise((resolve) => {
    const opening = indexedDB.open(HANDED_OVER);
    opening.onerror = () => resolve(null);
    opening.onsuccess = () => {
      const database = opening.result;
      const finish = (file: File | null): void => {
        database.close();
        indexedDB.deleteDatabase(HANDED_OVER);
        resolve(file);
      };
      if (!database.objectStoreNames.contains('files')) return finish(null);
      const reading = database.transaction('files').objectStore('files').get('file');
      reading.onsuccess = () => finish((reading.result as File | undefined) ?? null);
      reading.onerror = () => finish(null);
    };
  });
}
