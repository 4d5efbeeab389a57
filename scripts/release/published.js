import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const { repository, homepage, engines, keywords } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'),
);

/** A package.json for publishing: without repository-only parts, with what all packages share. */
export function published({ private: _, scripts, devDependencies, ...manifest }) {
  const folder = `packages/${manifest.name.split('/')[1]}`;
  return {
    ...manifest,
    keywords,
    homepage,
    repository: { ...repository, directory: folder },
    engines,
    publishConfig: { access: 'public', provenance: true },
  };
}
