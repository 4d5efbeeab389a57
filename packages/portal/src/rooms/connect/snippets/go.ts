import { oneLine, SECRET, type SnippetFacts } from './facts.ts';

export function go({ base, clientId, sample, secret = SECRET }: SnippetFacts): string {
  return `// Go 1.18 or newer, nothing to install.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

var clientSecret = ${JSON.stringify(secret)}

const clientID = ${JSON.stringify(clientId)}
const base = ${JSON.stringify(base)}

type object = map[string]any

func call(method, path string, body any, headers map[string]string) (result object) {
	data, _ := json.Marshal(body)
	request, err := http.NewRequest(method, base+path, bytes.NewReader(data))
	if err != nil {
		panic(err)
	}
	request.Header.Set("Content-Type", "application/json")
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		panic(err)
	}
	if response.StatusCode/100 != 2 {
		fmt.Fprintln(os.Stderr, response.StatusCode, string(text))
		os.Exit(1)
	}
	if err := json.Unmarshal(text, &result); err != nil {
		panic(err)
	}
	return result
}

func main() {
	if set := os.Getenv("INNKEEPER_CLIENT_SECRET"); set != "" {
		clientSecret = set
	}
	// On your server: create a user and exchange its specialToken.
	created := call("POST", "/api/v2/app/create-user", object{
		"clientId": clientID, "clientSecret": clientSecret,
		"clientUserId": fmt.Sprint("user-", time.Now().UnixNano()), "clientUserName": "Ada",
	}, nil)
	granted := call("POST", "/oauth/v2/get-access-token", object{
		"clientSecret": clientSecret, "specialToken": created["specialToken"],
	}, nil)

	headers := map[string]string{"apiKey": clientID, "Authorization": fmt.Sprint("Bearer ", granted["access_token"])}
${
  sample
    ? `	call("POST", "/api/user_options", object{
		"option_group_uid": ${JSON.stringify(sample.groupUid)},
		"option_key_uid":   ${JSON.stringify(sample.keyUid)}, // ${oneLine(sample.keyName)}
		"value":            []any{${sample.value.map((value) => JSON.stringify(value)).join(', ')}},
	}, headers)
`
    : ''
}	fmt.Println(call("GET", "/api/user_options?effective=true", nil, headers))
}
`;
}
