/**
 * Returns an address of loopback that nobody knew before. A page's data in a browser (service workers, storage) belong
 * to its address and outlive its server: at an address that others can serve before or after us, they may be theirs.
 */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** The address at which a page listens: the requested one, or 127.0.0.1 and an address of its own. */
export async function whereToListen(asked: string | undefined): Promise<{ host: string; address?: string }> {
  if (asked !== undefined) return { host: asked };
  const address = await ownAddress();
  return { host: '127.0.0.1', ...(address !== null && { address }) };
}

/**
 * A random address of 127.0.0.0/8, out of 16 million; null if this machine listens at 127.0.0.1 only, as macOS does.
 * Nets that programs use by habit, such as 127.0.0 and 127.0.1, are left out.
 */
export async function ownAddress(): Promise<string | null> {
  const address = `127.${randomInt(1, 255)}.${randomInt(0, 256)}.${randomInt(1, 255)}`;
  const server = createServer();
  try {
    server.listen(0, address);
    await once(server, 'listening');
    return address;
  } catch {
    return null;
  } finally {
    server.close();
  }
}
