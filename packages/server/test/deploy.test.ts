import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { Ajv } from 'ajv';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { renderTemplate } from '../../../scripts/render-chart.js';
import { readConfig } from '../src/config.ts';
import { environmentName, REMOTE_SETTINGS, SETTINGS } from '../src/service-settings.ts';
import { unsafeSettings } from '../src/unsafe-settings.ts';
import { SECRET } from './http/start.ts';

const ROOT = join(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const NAMES = Object.keys({ ...SETTINGS, ...REMOTE_SETTINGS }) as Parameters<typeof environmentName>[0][];
const KNOWN = new Set(NAMES.map(environmentName));
const TEMPLATES = 'deploy/helm/templates';

type Json = Record<string, unknown>;
const values = parse(read('deploy/helm/values.yaml')) as Json & { settings: Json };
const compose = parse(read('deploy/compose.yaml'), { merge: true }) as {
  services: Record<string, Json>;
  secrets: Record<string, { file: string }>;
  volumes: Json;
  networks: Json;
};
/** By their paths in the service's container. */
const SECRETS: Record<string, string> = {
  '/run/secrets/database-url': 'postgres://x/y',
  '/run/secrets/secret': SECRET,
  '/run/secrets/metrics-token': SECRET,
};

const chart = parse(read('deploy/helm/Chart.yaml')) as { version: string; appVersion: string };

/** Renders a template with these values instead of the chart's own. */
function render(name: string, changed: Json = {}): Json | null {
  return parse(
    renderTemplate(read(`${TEMPLATES}/${name}`), {
      Values: { ...values, ...changed },
      Release: { Name: 'test', Service: 'Helm' },
      Chart: { AppVersion: chart.appVersion },
    }),
  ) as Json | null;
}

const RESOURCES = readdirSync(join(ROOT, TEMPLATES)).filter((name) => name.endsWith('.yaml'));

test.each([
  'deploy/compose.yaml',
  'deploy/Dockerfile',
  'deploy/helm/values.yaml',
  'docs/scaling.md',
  'docs/operations.md',
  'docs/databases.md',
  'docs/backup.md',
  'docs/monitoring.md',
])('%s names only existing settings', (path) => {
  const named = new Set(
    read(path)
      .match(/\bINNKEEPER_[A-Z_]*[A-Z]/g)
      ?.map((name) => name.replace(/_FILE$/, '')),
  );
  expect(named.size).toBeGreaterThan(0);
  expect([...named].filter((name) => !KNOWN.has(name))).toEqual([]);
});

test('compose and chart set the same, except secrets', () => {
  const { environment } = compose.services.innkeeper as { environment: Json };
  const secret = ['INNKEEPER_DATABASE_URL', 'INNKEEPER_SECRET', 'INNKEEPER_METRICS_TOKEN'];
  const set = [...Object.keys(values.settings), ...secret.map((name) => `${name}_FILE`)];
  expect(set.sort()).toEqual(Object.keys(environment).sort());
  for (const name of secret) expect(read('deploy/helm/values.yaml')).toContain(`--from-literal=${name}=`);
});

/** The environment variables of each image, by the file that defines it. */
const IMAGES = ['deploy/Dockerfile', 'scripts/release/oci.js'].map((path) => {
  const variables = read(path).matchAll(/\b(INNKEEPER_[A-Z_]+)(?:=|: ')([^'\s]+)/g);
  return { path, variables: Object.fromEntries(variables.map(([, name, value]) => [name, value])) };
});

test.each(IMAGES.flatMap((image) => ['compose', 'chart'].map((which) => ({ ...image, which }))))(
  'the image of $path starts with the settings of the $which',
  ({ variables, which }) => {
    const folder = mkdtempSync(join(tmpdir(), 'innkeeper-secrets-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const { environment } = compose.services.innkeeper as { environment: Record<string, string> };
    const filled = Object.entries(environment).map(([name, value]) => {
      const secret = SECRETS[value];
      if (secret === undefined) return [name, value.replace(/^\$\{PUBLIC_URL:\?\}$/, 'https://users.example.com')];
      const file = join(folder, basename(value));
      writeFileSync(file, secret);
      return [name, file];
    });
    const secrets = { INNKEEPER_DATABASE_URL: 'postgres://x/y', INNKEEPER_SECRET: SECRET };
    const env = {
      ...variables,
      ...(which === 'compose' ? Object.fromEntries(filled) : { ...values.settings, ...secrets }),
    };
    expect(env.INNKEEPER_HOST).toBe('0.0.0.0');
    expect(readConfig({}, { env })).toMatchObject({ databaseUrl: 'postgres://x/y', secret: SECRET });
    expect(unsafeSettings(readConfig({}, { env }))).toEqual([]);
    // Without TLS in front, the setting is unsafe.
    const plain = { ...env, INNKEEPER_PUBLIC_URL: 'http://localhost:8080', INNKEEPER_TRUSTED_PROXIES: '' };
    expect(unsafeSettings(readConfig({}, { env: plain }))).toEqual([expect.stringContaining('INNKEEPER_HOST')]);
  },
);

test.each(IMAGES)('the default database of the image of $path is in its volume', ({ path }) => {
  const folder = /WORKDIR (\S+)(?![\s\S]*WORKDIR)|WorkingDir: '(.+)'/.exec(read(path));
  const database = SETTINGS.databaseUrl.default.replace('sqlite:', '');
  expect(resolve(folder?.[1] ?? folder?.[2] ?? '', database)).toBe('/data/innkeeper.db');
});

test.each(['innkeeper.service', 'innkeeper-admin'])('%s has a default database, and takes another', (name) => {
  const folder = mkdtempSync(join(tmpdir(), 'innkeeper-debian-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const settings = join(folder, 'innkeeper.env');
  const text = read(`deploy/debian/${name}`);
  // systemd loads the settings file for the service; innkeeper-admin reads it itself.
  const script =
    name === 'innkeeper.service'
      ? `set -a; . ${settings}; ${/^ExecStart=\/bin\/sh -c '(.*)'$/m.exec(text)?.[1]?.replaceAll('$$', '$')}`
      : text.replace('"$(id -u)" != 0', '1 = 2').replace('/etc/innkeeper/innkeeper.env', settings);
  const environment = (lines: string): string[] => {
    writeFileSync(settings, lines);
    const shown = script.replace(/exec .*/, 'exec env');
    return execFileSync('sh', ['-c', shown], { encoding: 'utf8', env: { PATH: process.env.PATH } }).split('\n');
  };
  const database = (lines: string) => environment(lines).filter((line) => line.startsWith('INNKEEPER_DATABASE_URL'));
  expect(database('')).toEqual(['INNKEEPER_DATABASE_URL=sqlite:/var/lib/innkeeper/innkeeper.db']);
  expect(database('INNKEEPER_DATABASE_URL=postgres://x/y')).toEqual(['INNKEEPER_DATABASE_URL=postgres://x/y']);
  expect(database('INNKEEPER_DATABASE_URL_FILE=/x\n')).toEqual(['INNKEEPER_DATABASE_URL_FILE=/x']);
  // Variables of other programs are passed on too, such as OpenTelemetry's.
  expect(environment('# A=b\nOTEL_SDK_DISABLED=true\n')).toContain('OTEL_SDK_DISABLED=true');
});

test('compose refers only to what it defines', () => {
  for (const [name, service] of Object.entries(compose.services)) {
    expect(service.image ?? service.build, name).toBeDefined();
    for (const other of Object.keys((service.depends_on as Json | undefined) ?? {}))
      expect(compose.services).toHaveProperty(other);
    for (const network of service.networks as string[]) expect(compose.networks).toHaveProperty(network);
    for (const secret of (service.secrets as string[] | undefined) ?? []) {
      expect(compose.secrets[secret]?.file).toMatch(/^secrets\//);
    }
    for (const [variable, path] of Object.entries((service.environment as Json | undefined) ?? {})) {
      if (variable.endsWith('_FILE')) expect(service.secrets).toContain(String(path).replace('/run/secrets/', ''));
    }
    for (const volume of (service.volumes as string[] | undefined) ?? []) {
      expect(Object.keys(compose.volumes)).toContain(volume.split(':')[0]);
    }
  }
});

test('every template of the chart is a resource, and the deployment finds its settings and its service', () => {
  const resources = RESOURCES.map((name) => render(name)).filter((each): each is Json => each !== null);
  expect(resources.map(({ kind }) => kind).sort()).toEqual([
    'ConfigMap',
    'Deployment',
    'Job',
    'PodDisruptionBudget',
    'Service',
  ]);
  for (const { apiVersion, metadata } of resources) {
    expect(apiVersion).toBeTypeOf('string');
    expect(metadata).toMatchObject({ name: expect.stringMatching(/^test(-migrate)?$/) });
  }
  const [deployment, service, settings] = ['Deployment', 'Service', 'ConfigMap'].map((kind) =>
    resources.find((resource) => resource.kind === kind),
  );
  const ports = { name: 'http', containerPort: 8080 };
  expect(deployment?.spec).toMatchObject({
    replicas: values.replicas,
    selector: { matchLabels: { app: 'test' } },
    template: {
      metadata: { labels: { app: 'test' } },
      spec: {
        enableServiceLinks: false,
        containers: [
          { image: values.image, ports: [ports], readinessProbe: { httpGet: { path: '/readyz', port: 'http' } } },
        ],
      },
    },
  });
  expect(service?.spec).toMatchObject({ selector: { app: 'test' }, ports: [{ name: 'http', targetPort: ports.name }] });
  expect(settings?.data).toEqual(values.settings);
  for (const value of Object.values(values.settings)) expect(value).toBeTypeOf('string');
});

test('ingress, autoscaler and monitor are optional, and every resource has the usual labels', () => {
  const enabled = Object.fromEntries(
    ['ingress', 'autoscaling', 'serviceMonitor'].map((name) => [name, { ...(values[name] as Json), enabled: true }]),
  );
  const kinds = RESOURCES.flatMap((name) => render(name, enabled)?.kind ?? []);
  expect(kinds).toEqual(expect.arrayContaining(['Ingress', 'HorizontalPodAutoscaler', 'ServiceMonitor']));
  for (const name of RESOURCES) {
    expect([name, render(name, enabled)?.metadata]).toEqual([
      name,
      expect.objectContaining({
        labels: expect.objectContaining({
          'app.kubernetes.io/name': 'innkeeper',
          'app.kubernetes.io/instance': 'test',
          'app.kubernetes.io/version': chart.appVersion,
          'app.kubernetes.io/managed-by': 'Helm',
        }),
      }),
    ]);
  }
  // Only the autoscaler sets the number of replicas.
  expect(render('deployment.yaml', enabled)?.spec).not.toHaveProperty('replicas');
});

test.each(['deployment.yaml', 'migrate-job.yaml'])('no pod of %s starts without the database of the Secret', (name) => {
  const { spec } = render(name) as { spec: { template: { spec: { containers: Json[] } } } };
  const secretKeyRef = { name: values.secretName, key: 'INNKEEPER_DATABASE_URL' };
  expect(spec.template.spec.containers[0]?.env).toEqual([
    { name: 'INNKEEPER_DATABASE_URL', valueFrom: { secretKeyRef } },
  ]);
});

test('what the operator scrapes has the job that the alerts name', () => {
  const monitor = render('service-monitor.yaml', { serviceMonitor: { enabled: true } }) as { spec: Json };
  const { labels } = (render('service.yaml') as { metadata: { labels: Json } }).metadata;
  expect(read('deploy/prometheus/alerts.yml')).toContain(`up{job="${labels[monitor.spec.jobLabel as string]}"}`);
});

test('settings of the chart that are not text are rejected', () => {
  const accepts = new Ajv().compile(JSON.parse(read('deploy/helm/values.schema.json')));
  const withWorkers = (workers: unknown) => ({
    ...values,
    settings: { ...values.settings, INNKEEPER_WORKERS: workers },
  });
  expect(['2', 2, false].map((workers) => accepts(withWorkers(workers)))).toEqual([true, false, false]);
});

test('changed settings replace the pods, and no proxy is trusted unless set', () => {
  const checksum = (changed: Json) =>
    (render('deployment.yaml', changed) as { spec: { template: { metadata: { annotations: Json } } } }).spec.template
      .metadata.annotations['checksum/settings'];
  expect(checksum({ settings: { ...values.settings, INNKEEPER_LOG_LEVEL: 'debug' } })).not.toBe(checksum({}));
  expect(values.settings.INNKEEPER_TRUSTED_PROXIES).toBe('');
});

test('the chart, the image and the service have one version', () => {
  const { version } = JSON.parse(read('packages/server/package.json')) as { version: string };
  expect([chart.version, chart.appVersion, values.image]).toEqual([version, version, `innkeeper:${version}`]);
});
