import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pki } from '@scriptorium/testing/pki/pki';
import { trustedList } from '@scriptorium/testing/pki/trusted-list';

/** Writes trusted lists that name these authorities to a folder, and returns the settings of verifiers that read them. */
export async function listsIn(folder: string, pki: Pki): Promise<Record<string, string>> {
  const operator = await pki.issue({ name: 'Operator of the lists' });
  const since = new Date('2018-01-01T00:00:00Z');
  const services = [
    { name: 'Listed certificates', identities: [pki.intermediate], states: [{ since }] },
    { name: 'Listed times', identities: [pki.tsa], states: [{ since, type: 'TSA/QTST' }] },
  ];
  const pointers = [{ url: 'https://lists.example/be.xml', territory: 'BE', signers: [operator] }];
  const files = {
    'eu.xml': trustedList({ isListOfLists: true, pointers }, operator),
    'be.xml': trustedList({ services }, operator),
    'signers.pem': operator.pem,
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  return {
    TRUSTED_LISTS: 'https://lists.example/eu.xml',
    TRUSTED_LISTS_SIGNERS: join(folder, 'signers.pem'),
    TRUSTED_LISTS_FOLDER: folder,
  };
}
