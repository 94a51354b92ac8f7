/** Requests over HTTP as bytes: heads that are wrong, lengths that lie, paths and names of all kinds, on each port. */
import net from 'node:net';
import tls from 'node:tls';
import { WrongAnswer } from '../replay.mjs';
import { long, mutatedText, ODD_WORDS, textOf } from '../values.mjs';

const TLS_PORTS = ['main', 'api'];

export default {
  name: 'http',
  targets: ['serve', 'class', 'kubelet'],
  packet: 'a request',
  make(random) {
    return [
      { op: 'port', port: random.pick(['session', 'class', 'main', 'readOnly', 'healthz', 'api']) },
      ...random.list(1, 6, () => ({ op: 'request', text: request(random) })),
    ];
  },
  /** All requests on one connection, one after the other without waiting. */
  async perform(running, operations) {
    let port = 'session';
    let packets = 0;
    let socket = null;
    let heard = '';
    for (const operation of operations) {
      if (operation.op === 'port') {
        port = running.ports[operation.port] ? operation.port : 'session';
        continue;
      }
      socket ??= connect(running.ports[port], TLS_PORTS.includes(port), (text) => {
        heard = (heard + text).slice(-100_000);
      });
      if (socket.destroyed) break;
      const text = operation.text.replaceAll('HOST', `127.0.0.1:${running.ports[port]}`);
      socket.write(
        text
          .replace(/\{long (\d{1,5})\}/g, (_, n) => textOf(long('x', Number(n))))
          .replaceAll('TOKEN', running.tokens.api ?? ''),
        'latin1',
      );
      packets++;
    }
    if (!socket) return 0;
    socket.end();
    await Promise.race([
      new Promise((resolve) => socket.once('close', resolve).once('end', resolve)),
      new Promise((resolve) => setTimeout(resolve, 150)),
    ]);
    socket.destroy();
    const bad = /^HTTP\/1\.1 (500|502) /m.exec(heard);
    if (bad) throw new WrongAnswer(`${port} answers ${heard.slice(bad.index, bad.index + 600)}`, port);
    return packets;
  },
};

function connect(port, secure, take) {
  const socket = secure
    ? tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false })
    : net.connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.on('data', (data) => take(data.toString('latin1')));
  return socket;
}

const methods = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'CONNECT',
  'PRI',
  'get',
  '',
  'G\u0000T',
];

const paths = [
  '/',
  '/index.html',
  '/icon.svg',
  '/assets/',
  '/healthz',
  '/pods',
  '/metrics',
  '/metrics/cadvisor',
  '/stats/summary',
  '/configz',
  '/logs/',
  '/containerLogs/default/sentinel-node1/app?tailLines=1',
  '/exec/default/sentinel-node1/app?command=id',
  '/run/default/sentinel-node1/app',
  '/attach/default/sentinel-node1/app',
  '/portForward/default/sentinel-node1',
  '/debug/pprof/',
  '/api/v1/pods?limit=1',
  '/api/v1/nodes/node1/proxy/pods',
  '/apis',
  '/openapi/v2',
  '/socket.io/?EIO=4&transport=polling',
  '/socket.io/?EIO=4&transport=websocket',
  'http://127.0.0.1/',
  '//evil.test/',
  '*',
  '',
  '/%',
  '/%zz',
  '/..%2f..%2fetc%2fpasswd',
  '/%00',
  '/?x={long 15000}',
  '/{long 15000}',
  '/a/b?limit=-1&continue=%00&watch=1',
];

const headers = [
  'Origin: http://evil.test',
  'Origin: null',
  'Origin: HOST',
  'Sec-Fetch-Site: cross-site',
  'Sec-Fetch-Mode: navigate',
  'Authorization: Bearer TOKEN',
  'Authorization: Bearer x',
  'Authorization: Basic {long 4000}',
  'Content-Length: 5',
  'Content-Length: -1',
  'Content-Length: 99999999999999999999',
  'Content-Length: 5\r\nContent-Length: 6',
  'Content-Length: 5\r\nTransfer-Encoding: chunked',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding : chunked',
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
  'Connection: Upgrade\r\nUpgrade: SPDY/3.1',
  'Connection: Upgrade\r\nUpgrade: h2c',
  'Connection: keep-alive, close',
  'Expect: 100-continue',
  'Expect: x',
  'Range: bytes=0-1,5-,-9',
  'If-None-Match: *',
  'Accept-Encoding: gzip;q=0, br, *',
  'Accept: application/json;as=Table;v=v1;g=meta.k8s.io',
  'Accept: application/vnd.kubernetes.protobuf',
  'Content-Type: application/json',
  'Cookie: {long 3000}',
  'X-Forwarded-For: 1',
  ' folded',
  'No colon',
  ': no name',
  'X-Null: a\u0000b',
  'X-High: \u00ff\u00fe',
];

function request(random) {
  const path = random.chance(0.2) ? mutatedText(random, random.pick(paths)) : random.pick(paths);
  const host = random.weighted([
    [10, () => 'Host: HOST'],
    [1, () => ''],
    [1, () => `Host: ${random.pick(['evil.test', 'HOST, evil.test', '[::1', '127.0.0.1:', ...ODD_WORDS])}`],
    [1, () => 'Host: HOST\r\nHost: evil.test'],
  ]);
  const lines = [host, ...random.list(0, 4, () => random.pick(headers))].filter(Boolean);
  const version = random.chance(0.9) ? 'HTTP/1.1' : random.pick(['HTTP/1.0', 'HTTP/2.0', 'HTTP/9.9', 'X', '']);
  const end = random.chance(0.97) ? '\r\n' : random.pick(['\n', '\r', '']);
  const body = random.chance(0.3)
    ? random.pick(['5\r\nabcde\r\n0\r\n\r\n', 'abcde', 'ffffffffffffffff\r\n', '0\r\nX: y\r\n\r\n', '-1\r\n'])
    : '';
  const text = `${random.pick(methods)} ${path} ${version}${end}${lines.join(end)}${end}${end}${body}`;
  return random.chance(0.1) ? mutatedText(random, text) : text;
}
