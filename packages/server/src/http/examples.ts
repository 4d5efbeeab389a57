/**
 * Stand-ins in the examples of the OpenAPI document. Everything else in them is as in the demo application, so an
 * example works once these are replaced by what the demo printed.
 */
export const EXAMPLE = {
  publicUrl: 'https://users.example.com',
  clientId: '104200317_5f2b8c1e9a7d4036b1e8f0c2a9d47e63',
  clientSecret: 'YOUR_CLIENT_SECRET',
  clientUserId: 'ada@example.com',
  newClientUserId: 'grace@example.com',
  userCode: '0198c5a2-7d10-7c3e-9b1f-2f6a4e8d0c31',
  specialToken: 'YOUR_SPECIAL_TOKEN',
  accessToken: 'YOUR_ACCESS_TOKEN',
  accessTokenId: '0198c5a2-9a45-7d84-a6b7-0f1a2b3c4d56',
  groupUid: '0198c5a2-8e21-7f40-a2d3-6b7c8d9e0f12',
  secondGroupUid: '0198c5a2-8e21-7e3f-91c2-5a6b7c8d9e01',
  keyUid: '0198c5a2-8e21-7a51-b3e4-7c8d9e0f1a23',
  secondKeyUid: '0198c5a2-8e21-7b62-84f5-8d9e0f1a2b34',
  userOptionsUid: '0198c5a3-1f32-7c73-95a6-9e0f1a2b3c45',
  linkToken: 'YOUR_LINK_TOKEN',
  preferenceLink: 'YOUR_PREFERENCE_LINK',
  receipt: 'YOUR_RECEIPT',
  sessionId: '0198c5a5-3b54-7e84-a7c8-b02c3d4e5f67',
  manageTokenId: '0198c5a5-4c65-7f95-98d9-c13d4e5f6078',
  memberAccountId: '0198c5a5-3b54-7e95-b7c8-b02b3c4d5e67',
  invitationId: '0198c5a5-3b54-7fa6-88d9-c13c4d5e6f78',
  invitationToken: 'YOUR_INVITATION_TOKEN',
  webhookId: '0198c5a5-5d76-71b7-99ea-d24d5e6f7a89',
  totpCode: 'YOUR_CODE',
} as const;

/** Made by the service, different in every database. */
export const EXAMPLE_UIDS = {
  groupEnglish: '5f0c1d2e-3a4b-5c6d-8e7f-0a1b2c3d4e5f',
  groupGerman: '6a1d2e3f-4b5c-5d7e-9f80-1b2c3d4e5f60',
  groupSpanish: '7b2e3f40-5c6d-5e8f-a091-2c3d4e5f6071',
  keyEnglish: '8c3f4051-6d7e-5f90-b1a2-3d4e5f607182',
  keyGerman: '9d405162-7e8f-5a01-82b3-4e5f60718293',
  keySpanish: 'ae516273-8f90-5b12-93c4-5f60718293a4',
  newsletterKey: '0198c5a2-8e21-7d84-a6b7-9f1a2b3c4d56',
  channelsKey: '0198c5a2-8e21-7e95-b7c8-a02b3c4d5e67',
  quietUntilKey: '0198c5a2-8e21-7fa6-88d9-b13c4d5e6f78',
  itemsPerPageKey: '0198c5a2-8e21-70b7-99ea-c24d5e6f7a89',
  draft: '0198c5a4-2a43-73ea-8c1d-f57a8b9cadb2',
  newGroup: '0198c5a4-2a43-71c8-aafb-d35e6f7a8b90',
  newKey: '0198c5a4-2a43-72d9-bb0c-e46f7a8b9ca1',
  secondUserOptionsUid: '0198c5a3-1f32-7d84-86b7-af1a2b3c4d56',
  account: '0198c5a5-2a43-7d73-86b7-af1b2c3d4e56',
  newManageToken: '0198c5a5-5d76-70a6-89ea-d24e5f607189',
} as const;
