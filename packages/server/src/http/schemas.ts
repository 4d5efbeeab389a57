import { Type } from '../schema.ts';

/**
 * Shapes that several operations share. They only document: the rules check requests and choose the error codes. A
 * shape with a title appears in the OpenAPI document once, under that name.
 */
export const UserWithTokenAnswer = Type.Object(
  {
    specialToken: Type.String({ description: 'valid for one exchange' }),
    clientId: Type.String(),
    clientUserId: Type.String(),
    clientUserName: Type.String(),
  },
  { title: 'UserWithToken' },
);
