/** What a page does with an agent, without the page: a socket, its records folded into a state, and acknowledged. */
import { SessionClient } from '@syncloop/core/debug';
import { io } from 'socket.io-client';

const event = 'm';

export class Viewer {
  /** `url`: the one that the agent prints, with the token. Resolves once it has been welcomed. */
  static async connect(url) {
    const { origin, hash } = new URL(url);
    const viewer = new Viewer();
    viewer.socket = io(origin, {
      auth: { token: hash.slice('#token='.length) },
      forceNew: true,
      reconnection: false,
      transports: ['websocket'],
    });
    await new Promise((resolve, reject) => {
      viewer.socket.once('connect', resolve);
      viewer.socket.once('connect_error', reject);
    });
    viewer.client = new SessionClient({
      send: (message) => viewer.socket.emit(event, message),
      onMessage: (handler) => void viewer.socket.on(event, handler),
      onClose: (handler) => void viewer.socket.on('disconnect', handler),
      close: () => viewer.socket.disconnect(),
    });
    await new Promise((resolve) => {
      const off = viewer.client.listen(() => {
        if (!viewer.client.info) return;
        off();
        resolve();
      });
    });
    return viewer;
  }
  close() {
    this.client.close();
  }
}
