import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname } from 'node:path';
import { getAsset, isSea } from 'node:sea';

/** Nothing lies beside an executable that is one file. */
const manifest = isSea() ? process.execPath : (findPackageJSON(import.meta.url) as string);

/** Where this package is, whether it runs from its sources or as it was built. */
export const PACKAGE_ROOT = dirname(manifest);

const text = isSea() ? getAsset('package.json', 'utf8') : readFileSync(manifest, 'utf8');
export const { version } = JSON.parse(text) as { version: string };
