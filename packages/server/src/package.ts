import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname } from 'node:path';

const manifest = findPackageJSON(import.meta.url) as string;

/** Where this package is, whether it runs from its sources or as it was built. */
export const PACKAGE_ROOT = dirname(manifest);

export const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
