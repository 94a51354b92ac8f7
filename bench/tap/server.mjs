/** A runtime that has its answers ready: it adds as little as a server can. Its argument is the path of its socket. */
import http2 from 'node:http2';
import { rpcCodecs } from '@syncloop/core/cri/codec';
import { answers, prefixed } from './messages.mjs';

const ready = new Map(
  Object.entries(answers).map(([method, message]) => [
    rpcCodecs[method].path,
    prefixed(rpcCodecs[method].response.encode(message)),
  ]),
);
const head = { ':status': 200, 'content-type': 'application/grpc' };
const server = http2.createServer();
server.on('stream', (stream, headers) => {
  stream.on('error', () => {});
  stream.resume();
  stream.on('end', () => {
    stream.respond(head, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0', 'grpc-message': '' }));
    stream.end(ready.get(headers[':path']));
  });
});
server.listen(process.argv[2], () => process.send('ready'));
process.on('disconnect', () => process.exit(0));
