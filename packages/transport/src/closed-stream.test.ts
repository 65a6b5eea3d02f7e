import { once } from 'node:events';
import http2 from 'node:http2';
import { describe, expect, it } from 'vitest';
import { leave } from './closed-stream.js';
import { FakeServer } from './testdata/fake-server.js';

describe('a stream that has been closed and left', () => {
  it('refers to nobody, and throws no errors that come later', async () => {
    await using server = await FakeServer.start(() => ({ messages: [], status: { code: 0, message: '' } }));
    const session = http2.connect(server.url);
    const stream = session.request({ ':path': '/cosi.resource.State/Get', ':method': 'POST' });
    const closed = once(stream, 'close');
    const mine = () => {};
    for (const event of ['response', 'trailers', 'end', 'close']) stream.on(event, mine);
    stream.resume().end(Buffer.from([0, 0, 0, 0, 0]));
    await closed;
    leave(stream);
    expect(stream.eventNames()).toEqual(['error']);
    expect(stream.emit('error', new Error('late'))).toBe(true);
    session.close();
    await once(session, 'close');
  });
});
