import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname } from 'node:path';
import { getAsset, isSea } from 'node:sea';

/** A single-file executable has no package.json next to it. */
const manifest = isSea() ? process.execPath : (findPackageJSON(import.meta.url) as string);

/** The root of this package, both in the sources and in the built package. */
export const PACKAGE_ROOT = dirname(manifest);

const text = isSea() ? getAsset('package.json', 'utf8') : readFileSync(manifest, 'utf8');
export const { version } = JSON.parse(text) as { version: string };
