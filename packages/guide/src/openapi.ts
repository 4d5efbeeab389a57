/** The parts of OpenAPI 3.1 that docs/openapi.json uses. */
export type OpenApi = {
  info: { description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    responses: Record<string, ResponseObject>;
    examples: Record<string, Example>;
    securitySchemes: Record<string, { description?: string }>;
  };
};

export type Operation = {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security: Record<string, unknown>[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, Content> };
  responses: Record<string, ResponseObject | Reference>;
};

export type Parameter = {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  schema?: Schema | Reference;
};

export type ResponseObject = { description: string; content?: Record<string, Content> };
export type Content = { schema?: Schema | Reference; examples?: Record<string, Example | Reference> };
type Example = { summary?: string; value?: unknown };
export type Reference = { $ref: string };

export type Schema = {
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: (Schema | Reference)[];
  items?: Schema | Reference;
  properties?: Record<string, Schema | Reference>;
  required?: string[];
};
