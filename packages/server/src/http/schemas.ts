import { Type } from 'typebox';

/** Shapes that several operations share. Area A's request bodies are documented, not enforced, by them: the contract's codes answer. */
export const ErrorAnswer = Type.Object(
  {
    code: Type.String({ description: 'four digits, see docs/errors.md' }),
    message: Type.String({ description: 'for people' }),
  },
  { description: 'What went wrong' },
);

export const UserWithTokenAnswer = Type.Object({
  specialToken: Type.String({ description: 'good for one exchange' }),
  clientId: Type.String(),
  clientUserId: Type.String(),
  clientUserName: Type.String(),
});

/** Errors of the OAuth endpoints have the fields of RFC 6749 5.2 beside our own two. */
export const OAuthErrorAnswer = Type.Object({
  ...ErrorAnswer.properties,
  error: Type.String(),
  error_description: Type.String(),
});

declare module 'fastify' {
  /** What a route's schema says for the OpenAPI document beside its shapes. */
  interface FastifySchema {
    summary?: string;
    description?: string;
    tags?: string[];
    security?: Record<string, string[]>[];
    /** Answered, but not documented. */
    hide?: boolean;
  }
}
