import { Parser } from '@asyncapi/parser';
import specs from '@asyncapi/specs';
import { Ajv, type AnySchema } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect, test } from 'vitest';
import { ASYNCAPI_DOC, renderAsyncapiDoc } from '../../scripts/write-asyncapi.ts';
import { readDoc } from '../../scripts/write-errors-doc.ts';
import { signatureHeaders } from '../../src/domain/webhooks/send-event.ts';
import { EVENT_TYPES, SELECTION_AUTH_METHODS } from '../../src/storage/port.ts';

const text = renderAsyncapiDoc();

test('docs/asyncapi.json matches the event shapes: if not, run "npm run docs"', () => {
  expect(readDoc(ASYNCAPI_DOC)).toBe(text);
});

test('it is valid AsyncAPI 3 by its published schema', () => {
  // The schema includes the one of JSON Schema.
  const ajv = new Ajv({ strict: false, allErrors: true, meta: false, validateSchema: false });
  (formats as unknown as (ajv: Ajv) => void)(ajv);
  const validate = ajv.compile(specs.schemas['3.0.0'] as AnySchema);
  expect([validate(JSON.parse(text)), validate.errors]).toEqual([true, null]);
  expect(validate({ ...JSON.parse(text), channels: { events: { address: 7 } } })).toBe(false);
});

test("AsyncAPI's own parser finds no problem", async () => {
  const parser = new Parser();
  const problems = async (document: string) =>
    (await parser.validate(document)).map(({ code, path, message }) => `${code}: ${path.join(' ')} ${message}`);
  // Deliberately not the latest version, because most generators stop at 3.0.0.
  expect(await problems(text)).toEqual([expect.stringMatching(/^asyncapi-latest-version/)]);
  expect(await problems(text.replace('"action": "send"', '"action": "shout"'))).toHaveLength(2);
});

test('every type is a message of the feed, and every reference resolves', () => {
  const document = JSON.parse(text);
  expect(Object.keys(document.channels.events.messages)).toEqual([...EVENT_TYPES]);
  const references = [...text.matchAll(/"\$ref": "#\/([^"]+)"/g)].map(([, path]) => path as string);
  expect(references.length).toBeGreaterThan(30);
  const lost = references.filter((path) => {
    return path.split('/').reduce((part, name) => part?.[name], document) === undefined;
  });
  expect(lost).toEqual([]);
});

test('webhooks send every type and a test, with the headers of Standard Webhooks', () => {
  const { channels, components, operations } = JSON.parse(text);
  const { webhooks } = channels;
  expect(Object.keys(webhooks.messages)).toEqual([...EVENT_TYPES, 'webhook.test']);
  expect(operations.sendWebhooks.channel).toEqual({ $ref: '#/channels/webhooks' });
  const sent = Object.keys(signatureHeaders(['whsec_'], { id: 'x', at: 0, body: '' }));
  expect(components.schemas.WebhookHeaders.required).toEqual(sent);
  for (const { headers, examples } of Object.values<Json>(webhooks.messages)) {
    expect(headers).toEqual({ $ref: '#/components/schemas/WebhookHeaders' });
    expect(Object.keys(examples[0].headers)).toEqual(sent);
  }
});

test('a selection event names every way it can be changed', () => {
  const { by } = JSON.parse(text).components.schemas.SelectionEventData.properties;
  expect(by.enum).toEqual([...SELECTION_AUTH_METHODS]);
});

test('each example matches its schema', () => {
  const { channels, components } = JSON.parse(text);
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  (formats as unknown as (ajv: Ajv2020) => void)(ajv);
  ajv.addSchema({ $id: 'https://example.com/', components });
  for (const [name, { payload, examples }] of [
    ...Object.entries<Message>(components.messages),
    ...Object.entries<Message>(channels.webhooks.messages),
  ]) {
    const validate = ajv.compile({ $ref: `https://example.com/${payload.$ref}` });
    expect({ name, valid: validate(examples[0].payload), errors: validate.errors }).toMatchObject({
      name,
      valid: true,
    });
  }
});

// biome-ignore lint/suspicious/noExplicitAny: a document, accessed where a test needs it
type Json = any;
type Message = { payload: { $ref: string }; examples: [{ payload: unknown }] };
