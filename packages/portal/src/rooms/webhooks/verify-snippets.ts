/**
 * How a receiver verifies a signature: with the Standard Webhooks libraries, or the standard library of the language.
 */
export const VERIFY_SNIPPETS = {
  TypeScript: `import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(process.env.INNKEEPER_WEBHOOK_SECRET);

// body: the request body as text, before it is parsed
const event = webhook.verify(body, request.headers);
`,
  Python: `import os
from standardwebhooks import Webhook

webhook = Webhook(os.environ["INNKEEPER_WEBHOOK_SECRET"])

# body: the request body as bytes, before it is parsed
event = webhook.verify(body, dict(request.headers))
`,
  Go: `import standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

webhook, err := standardwebhooks.NewWebhook(os.Getenv("INNKEEPER_WEBHOOK_SECRET"))
if err != nil {
	log.Fatal(err)
}

body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
if err == nil {
	err = webhook.Verify(body, r.Header)
}
if err != nil {
	http.Error(w, "invalid signature", http.StatusBadRequest)
	return
}
`,
  PHP: `$body = file_get_contents('php://input');
$id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
$time = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
$key = base64_decode(substr(getenv('INNKEEPER_WEBHOOK_SECRET'), strlen('whsec_')));
$expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$time.$body", $key, true));

// Two signatures while a secret is rotated.
$valid = false;
foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $signature) {
    $valid = hash_equals($expected, $signature) || $valid;
}
if (!$valid || abs(time() - (int) $time) > 300) {
    http_response_code(400);
    exit;
}
$event = json_decode($body, true);
`,
} as const;
