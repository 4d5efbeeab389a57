// Checks deploy/ against the schemas of Compose and Kubernetes. They are 27 MB, so they are downloaded into a temporary
// folder and are not part of an installation. This needs the registry, so it is not a test.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parse } from 'yaml';
import { renderTemplate } from './render-chart.js';

const PACKAGES = ['kubernetes-models@5.1.0', 'dclint@3.1.0', 'ajv@8.20.0'];
const DEPLOY = join(import.meta.dirname, '../deploy');
const read = (path) => readFileSync(join(DEPLOY, path), 'utf8');

const folder = mkdtempSync(join(tmpdir(), 'innkeeper-check-deploy-'));
try {
  execFileSync('npm', ['install', '--prefix', folder, '--ignore-scripts', '--no-save', '--silent', ...PACKAGES]);
  const problems = [...composeProblems(), ...(await chartProblems())];
  for (const problem of problems) console.error(problem);
  if (problems.length === 0)
    console.log('deploy/compose.yaml and the resources of deploy/helm are as their schemas say.');
  process.exitCode = problems.length === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function composeProblems() {
  const Ajv = createRequire(join(folder, 'x.js'))('ajv').default;
  const { $schema, ...schema } = JSON.parse(
    readFileSync(join(folder, 'node_modules/dclint/schemas/compose.schema.json'), 'utf8'),
  );
  const validate = new Ajv({ strict: false, allErrors: true, validateFormats: false }).compile(schema);
  validate(parse(read('compose.yaml'), { merge: true }));
  return (validate.errors ?? []).map(({ instancePath, message }) => `compose.yaml: ${instancePath} ${message}`);
}

/** Rendered without helm, with everything switched on. A schema may accept unknown fields: the compiler finds those. */
async function chartProblems() {
  const values = parse(read('helm/values.yaml'));
  for (const part of ['ingress', 'autoscaling', 'serviceMonitor']) values[part].enabled = true;
  const problems = [];
  for (const name of readdirSync(join(DEPLOY, 'helm/templates'))) {
    if (!name.endsWith('.yaml')) continue;
    const resource = parse(
      renderTemplate(read(`helm/templates/${name}`), {
        Values: values,
        Release: { Name: 'test', Service: 'Helm' },
        Chart: { AppVersion: '0.0.0' },
      }),
    );
    // From the Prometheus operator: not among the schemas of Kubernetes.
    if (resource.kind === 'ServiceMonitor') continue;
    const file = join(folder, 'node_modules/kubernetes-models', resource.apiVersion, `${resource.kind}.js`);
    try {
      const { [resource.kind]: Model } = await import(pathToFileURL(file).href);
      new Model(resource).validate();
      problems.push(...unknownFields(name, resource));
    } catch (error) {
      problems.push(`helm/templates/${name}: ${error.message}`);
    }
  }
  return problems;
}

/** @returns {string[]} the compiler's errors for the resource as a literal of its type */
function unknownFields(name, resource) {
  const { apiVersion, kind } = resource;
  const file = join(folder, `${name}.ts`);
  const literal = JSON.stringify(resource, null, 2);
  writeFileSync(
    file,
    `import type { I${kind} } from 'kubernetes-models/${apiVersion}/${kind}';\nexport const it: I${kind} = ${literal};\n`,
  );
  const flags = ['--ignoreConfig', '--noEmit', '--skipLibCheck', '--module', 'esnext', '--moduleResolution', 'bundler'];
  const tsc = join(import.meta.dirname, '../node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [tsc, ...flags, '--types', '', file], { encoding: 'utf8' });
  return stdout
    .split('\n')
    .filter((line) => line.includes('error'))
    .map((line) => `helm/templates/${name}: ${line}`);
}
