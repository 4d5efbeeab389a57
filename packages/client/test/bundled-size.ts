import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';

/** The bytes a page loads for a module with its dependencies: bundled, minified and compressed. */
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
