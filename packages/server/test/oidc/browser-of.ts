/** Follows pages like a browser, with this machine's cookies, but renders nothing. */
export type Browser = {
  cookies: Map<string, string>;
  /** Follows redirects to the first response that is not one, or until `until` stops before a URL. */
  open(url: string, until?: (url: string) => boolean): Promise<{ url: string; status: number }>;
};

export function openBrowser(): Browser {
  const cookies = new Map<string, string>();
  return {
    cookies,
    async open(start, until = () => false) {
      let url = start;
      for (let steps = 0; steps < 20; steps += 1) {
        if (steps > 0 && until(url)) return { url, status: 0 };
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
        const response = await fetch(url, { redirect: 'manual', headers: { cookie, 'user-agent': 'Tests' } });
        await response.arrayBuffer();
        for (const each of response.headers.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(each) ?? [];
          if (value === '') cookies.delete(name);
          else cookies.set(name, value);
        }
        const location = response.headers.get('location');
        if (location === null) return { url, status: response.status };
        url = new URL(location, url).href;
      }
      throw new Error(`Too many redirects: ${url}`);
    },
  };
}
