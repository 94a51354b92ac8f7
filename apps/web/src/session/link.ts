/**
 * The code of a link to an agent's page. It works once, and the page that it opens exchanges it for the agent's token.
 * The form of a code is that of apps/agent/src/links/link-code.ts.
 */
import { forget, recall, remember } from '../page/storage.js';

/** The name under which a tab keeps its agent's token, so that it survives a reload. */
export const TOKEN = 'token';
/** The link that opened this tab, and the name that the page gave itself, by which its other tabs are known. */
export const LINK = 'link';

/** Milliseconds that the other tabs of this browser have to answer. */
const TABS_MILLIS = 1_000;

interface Link {
  readonly code: string;
  readonly page: string;
}

const randomText = (bytes: number) => base64url(crypto.getRandomValues(new Uint8Array(bytes)));

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}

/** Makes a code for another page, which may do what this page may. Needs a page that browsers call secure. */
export async function newCode(
  token: string,
  wallMillis = Date.now(),
  nonce = crypto.getRandomValues(new Uint8Array(12)),
): Promise<string> {
  const body = new Uint8Array(18);
  const view = new DataView(body.buffer);
  view.setUint16(0, Math.floor(wallMillis / 2 ** 32));
  view.setUint32(2, wallMillis % 2 ** 32);
  body.set(nonce, 6);
  const bytes = (text: string) => new TextEncoder().encode(text);
  const key = await crypto.subtle.importKey('raw', bytes(token), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const mac = await crypto.subtle.sign('HMAC', key, new Uint8Array([...bytes('syncloop link\n'), ...body]));
  return base64url(new Uint8Array([...body, ...new Uint8Array(mac, 0, 16)]));
}

/** The link that this tab was opened by; null if it was opened by none. */
export function rememberedLink(): Link | null {
  const [code, page] = recall(LINK, 'session')?.split(' ') ?? [];
  return code && page ? { code, page } : null;
}

/** A page's access to its agent: with a token, or with the code of a link until that was exchanged for one. */
export class AgentAccess {
  private token: string | null = null;
  private link: Link | null = null;
  private asked = false;

  static withToken(token: string): AgentAccess {
    const access = new AgentAccess();
    access.take(token);
    return access;
  }

  /** A page that is loaded again before the token came is the same page to the agent. */
  static withLink(code: string): AgentAccess {
    const access = new AgentAccess();
    const before = rememberedLink();
    access.link = before?.code === code ? before : { code, page: randomText(24) };
    remember(LINK, `${access.link.code} ${access.link.page}`, 'session');
    return access;
  }

  /** Returns the credentials that are sent when it connects. */
  credentials(): { readonly token: string } | Link {
    return this.token !== null ? { token: this.token } : (this.link ?? { token: '' });
  }

  /** The token that the link was exchanged for. */
  take(token: string): void {
    this.token = token;
    remember(TOKEN, token, 'session');
  }

  /**
   * Resolves, after the link was refused, with true if this tab was in before, or if another tab of this browser that
   * the same link opened has handed its token on.
   */
  async findToken(): Promise<boolean> {
    if (this.asked || !this.link) return false;
    this.asked = true;
    const token = recall(TOKEN, 'session') ?? (await askTabs(this.link.code));
    if (token === null) forget(LINK, 'session');
    else this.take(token);
    return token !== null;
  }
}

/** Only pages of this address can use it. */
const channel = () => (typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('syncloop.link'));

/** Asks the other tabs of this browser for the token that this code was exchanged for. */
function askTabs(code: string): Promise<string | null> {
  const tabs = channel();
  if (!tabs) return Promise.resolve(null);
  return new Promise((resolve) => {
    const done = (token: string | null) => {
      clearTimeout(timer);
      tabs.close();
      resolve(token);
    };
    const timer = setTimeout(() => done(null), TABS_MILLIS);
    tabs.onmessage = ({ data }: MessageEvent<{ code?: unknown; token?: unknown }>) => {
      if (data?.code === code && typeof data.token === 'string') done(data.token);
    };
    tabs.postMessage({ ask: code });
  });
}

/** Lets this tab answer others that were opened by the same link. */
export function answerTabs(): void {
  const tabs = channel();
  if (!tabs) return;
  tabs.onmessage = ({ data }: MessageEvent<{ ask?: unknown }>) => {
    const token = recall(TOKEN, 'session');
    const code = rememberedLink()?.code;
    if (token !== null && code !== undefined && data?.ask === code) tabs.postMessage({ code, token });
  };
}
