import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** A sample catalog file. */
export const CATALOG = `languages:
  - { name: English, tag: en, default: true }
  - { name: Español, tag: es }
groups:
  - name: notifications
    translations: { Español: Notificaciones }
    keys:
      - name: newsletter
        type: boolean
        default: false
        translations: { Español: Boletín }
      - name: colour
        type: string
        multiple: true
        min: 1
        max: 2
        values:
          - { value: blue, translations: { English: Blue, Español: Azul } }
          - { value: red, translations: { English: Red, Español: Rojo } }
      - name: ratio
        type: number
        values: [1, 1.5, 2]            # a plain value where there is nothing to translate
      - name: volume
        type: integer
        constraint: { min: 0, max: 10 }
`;

/** Call it in a test file: returns a temporary folder, and `save`, which writes a file there and returns its path. */
export function catalogFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'innkeeper-catalog-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const save = (name: string, content: string | Uint8Array): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  return { folder, save, original: save('catalog.yaml', CATALOG) };
}
