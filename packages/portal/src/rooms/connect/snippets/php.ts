import { oneLine, type Scalar, SECRET, type SnippetFacts } from './facts.ts';

const inPhp = (value: Scalar): string =>
  typeof value === 'string' ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'` : String(value);

export function php({ base, clientId, sample, secret = SECRET }: SnippetFacts): string {
  return `<?php
$clientSecret = getenv('INNKEEPER_CLIENT_SECRET') ?: ${inPhp(secret)};
$clientId = ${inPhp(clientId)};
$base = ${inPhp(base)};

function call(string $path, ?array $body = null, array $headers = []): array {
    global $base;
    $context = stream_context_create(['http' => [
        'method' => $body === null ? 'GET' : 'POST',
        'header' => [...$headers, 'Content-Type: application/json'],
        'content' => $body === null ? '' : json_encode($body),
        'ignore_errors' => true,
    ]]);
    $stream = fopen($base . $path, 'r', false, $context) or exit(1);
    $response = stream_get_contents($stream);
    $status = explode(' ', stream_get_meta_data($stream)['wrapper_data'][0])[1];
    if ($status[0] !== '2') {
        fwrite(STDERR, "$status $response\\n");
        exit(1);
    }
    return json_decode($response, true);
}

// On your server: create a user and exchange its specialToken.
$user = ['clientUserId' => uniqid('user-'), 'clientUserName' => 'Ada'];
$created = call('/api/v2/app/create-user', ['clientId' => $clientId, 'clientSecret' => $clientSecret] + $user);
$exchange = ['clientSecret' => $clientSecret, 'specialToken' => $created['specialToken']];
$token = call('/oauth/v2/get-access-token', $exchange)['access_token'];

$headers = ["apiKey: $clientId", "Authorization: Bearer $token"];
${
  sample
    ? `call('/api/user_options', [
    'option_group_uid' => ${inPhp(sample.groupUid)},
    'option_key_uid' => ${inPhp(sample.keyUid)}, // ${oneLine(sample.keyName)}
    'value' => [${sample.value.map(inPhp).join(', ')}],
], $headers);
`
    : ''
}print_r(call('/api/user_options?effective=true', null, $headers));
`;
}
