import { describe, expect, it } from 'vitest';
import { createMailbox, type Mailbox } from './mailbox.ts';

describe('a mailbox of messages', () => {
  it('a mailbox keeps messages until it is opened, and handles those given to open first', () => {
    const handled: string[] = [];
    const mailbox = createMailbox<string>((letter) => handled.push(letter));
    mailbox.post('a');
    mailbox.post('b');
    expect([handled, mailbox.waiting()]).toEqual([[], ['a', 'b']]);
    mailbox.open('first');
    mailbox.post('c');
    expect([handled, mailbox.waiting()]).toEqual([['first', 'a', 'b', 'c'], []]);
  });

  it('a mailbox handles one message at a time, also those posted while one is handled', () => {
    const handled: string[] = [];
    const mailbox: Mailbox<string> = createMailbox<string>((letter) => {
      if (letter === 'a') {
        mailbox.post('child of a');
        handled.push('nothing in between');
      }
      handled.push(letter);
    });
    mailbox.post('a');
    mailbox.post('b');
    mailbox.open();
    expect(handled).toEqual(['nothing in between', 'a', 'b', 'child of a']);
  });

  it('a mailbox continues after a message whose handler throws', () => {
    const handled: string[] = [];
    const mailbox = createMailbox<string>((letter) => {
      if (letter === 'bad') throw new Error('bad letter');
      handled.push(letter);
    });
    mailbox.open();
    mailbox.post('bad');
    mailbox.post('good');
    expect(handled).toEqual(['good']);
  });

  it('a mailbox can be closed from within, and returns the messages that were not handled', () => {
    const handled: string[] = [];
    const mailbox: Mailbox<string> = createMailbox<string>((letter) => {
      handled.push(letter);
      if (letter === 'close') mailbox.close();
    });
    mailbox.post('close');
    mailbox.post('later');
    mailbox.open();
    expect([handled, mailbox.clear(), mailbox.waiting()]).toEqual([['close'], ['later'], []]);
  });
});
