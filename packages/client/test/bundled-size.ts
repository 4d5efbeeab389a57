import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';

/** Bytes of a module and all that it needs, as a page loads them: in one piece, minified and compressed. */
export async function bundledSize(input: string, external: string[] = []): Promise<number> {
  const bundle = await rolldown({
    input,
    external,
    platform: 'browser',
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    logLevel: 'silent',
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  return gzipSync(output[0].code, { level: 9 }).length;
}
