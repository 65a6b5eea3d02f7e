import { once } from 'node:events';
import net from 'node:net';
import { systemClock } from '@cosi-ts/state';
import { expect, it, onTestFinished } from 'vitest';
import { silentLogger } from '../logger.js';
import { Listener } from './listener.js';

const requests = {
  'half a head': 'POST / HTT',
  'half a head after a whole request': 'GET / HTTP/1.1\r\nHost: a\r\n\r\nPOST / HTT',
  'half a body': 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf',
};

it.each(Object.entries(requests))('N7: a connection that stops after %s is not kept for good', async (_what, text) => {
  const timeouts = { headersTimeout: 20, requestTimeout: 20, connectionsCheckingInterval: 10 };
  const listener = await Listener.open(
    { host: '127.0.0.1', port: 0 },
    { onRequest: (request, response) => void request.resume().once('end', () => response.end()) },
    { clock: systemClock, logger: silentLogger, maxConnections: 10, maxStreamsPerConnection: 10, timeouts },
  );
  onTestFinished(() => listener.close());
  const socket = net.connect(Number(listener.address.split(':')[1]), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let answer = '';
  socket.on('data', (bytes: Buffer) => {
    answer += bytes.toString();
  });
  socket.write(text);
  await once(socket, 'close');
  expect(answer).toMatch(/HTTP\/1.1 408 Request Timeout\r\n/);
});
