import { join } from 'node:path';
import { Enum, type Field, MapField, Root, Type } from 'protobufjs';

/** The published definitions of OTLP (opentelemetry-proto, Apache-2.0), next to this file. */
const root = new Root();
root.resolvePath = (_, target) => join(import.meta.dirname, target);
root.loadSync(['opentelemetry/proto/trace/v1/trace.proto', 'opentelemetry/proto/metrics/v1/metrics.proto']);
root.resolveAll();

/** In OTLP's JSON, ids are hexadecimal instead of protobuf's usual base64. */
const ID_DIGITS: Record<string, number> = { traceId: 32, spanId: 16, parentSpanId: 16 };
const INTEGERS = /^(u?int|s?fixed|sint)(32|64)$/;

/** Where a JSON text differs from its message's definition: unknown members, and values of another type. */
export function problemsWith(message: 'TracesData' | 'MetricsData', json: unknown): string[] {
  return problemsOfMessage(root.lookupType(message), json, message);
}

function problemsOfMessage(type: Type, json: unknown, path: string): string[] {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return [`${path}: no ${type.name}`];
  return Object.entries(json).flatMap(([name, value]) => {
    const field = type.fields[name];
    if (!field) return [`${path}.${name}: ${type.name} has no such field`];
    if (field instanceof MapField) return [`${path}.${name}: a map`];
    if (!field.repeated) return problemsOfValue(field, value, `${path}.${name}`);
    if (!Array.isArray(value)) return [`${path}.${name}: no array`];
    return value.flatMap((each, index) => problemsOfValue(field, each, `${path}.${name}[${index}]`));
  });
}

function problemsOfValue(field: Field, value: unknown, path: string): string[] {
  const { resolvedType, type, name } = field;
  if (resolvedType instanceof Type) return problemsOfMessage(resolvedType, value, path);
  if (resolvedType instanceof Enum)
    return Object.values(resolvedType.values).includes(value as number) ? [] : [`${path}: ${value}`];
  return isScalar(type, name, value) ? [] : [`${path}: ${JSON.stringify(value)} is no ${type}`];
}

function isScalar(type: string, name: string, value: unknown): boolean {
  if (type === 'bytes') return typeof value === 'string' && new RegExp(`^([0-9a-f]{${ID_DIGITS[name]}})?$`).test(value);
  if (type === 'double') return typeof value === 'number';
  if (type === 'bool') return typeof value === 'boolean';
  if (INTEGERS.test(type)) return /^-?\d+$/.test(String(value));
  return type === 'string' && typeof value === 'string';
}
