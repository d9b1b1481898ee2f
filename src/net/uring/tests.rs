//! Sockets on rings: what is sent arrives, once and in order, whoever has them and whenever they
//! go.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;

use super::{begin, probe};
use crate::limits::rings::{RECEIVE_BYTES, RECEIVE_HELD_TIME, SEND_WAITING_BYTES_MAX};
use crate::net::peer_socket::PeerSocket;

const PATIENCE: Duration = Duration::from_secs(60);

/// On a thread of its own, with a ring where it wants one. None where the system has none.
fn on_a_thread<T: Send + 'static, F>(has_ring: bool, work: impl FnOnce() -> F + Send + 'static) -> T
where
    F: Future<Output = T>,
{
    let thread = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            if has_ring {
                begin().unwrap();
            }
            let done = timeout(PATIENCE, work()).await;
            done.expect("it hangs")
        })
    });
    thread.join().unwrap()
}

fn is_forbidden() -> bool {
    match probe() {
        Ok(()) => false,
        Err(error) => {
            eprintln!("not tried: the system has no io_uring for this process ({error})");
            true
        }
    }
}

fn pair() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let far = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (near, _) = listener.accept().unwrap();
    near.set_nodelay(true).unwrap();
    near.set_nonblocking(true).unwrap();
    far.set_read_timeout(Some(PATIENCE)).unwrap();
    (near, far)
}

fn on_ring(near: TcpStream) -> PeerSocket {
    let mut socket = PeerSocket::from(tokio::net::TcpStream::from_std(near).unwrap());
    socket.onto_ring().unwrap();
    socket
}

fn pattern(bytes: usize) -> Vec<u8> {
    (0..=250).cycle().take(bytes).collect()
}

#[test]
fn what_is_sent_arrives_in_either_direction() {
    if is_forbidden() {
        return;
    }
    for bytes in [1, 100, RECEIVE_BYTES, RECEIVE_BYTES + 1, 70_000, 3_000_000] {
        let (near, mut far) = pair();
        let peer = std::thread::spawn(move || {
            let mut heard = vec![0; bytes];
            far.read_exact(&mut heard).unwrap();
            far.write_all(&heard).unwrap();
            assert_eq!(far.read(&mut [0; 1]).unwrap(), 0);
        });
        on_a_thread(true, move || async move {
            let mut socket = on_ring(near);
            let said = pattern(bytes);
            socket.write_all(&said).await.unwrap();
            let mut heard = vec![0; bytes];
            socket.read_exact(&mut heard).await.unwrap();
            assert!(heard == said, "{bytes}");
            socket.shutdown().await.unwrap();
            assert_eq!(socket.read(&mut [0; 1]).await.unwrap(), 0);
        });
        peer.join().unwrap();
    }
}

#[test]
fn small_writes_stay_in_order_behind_large_ones() {
    if is_forbidden() {
        return;
    }
    let (near, mut far) = pair();
    let pieces = [3, 20_000, 1, 1, 400_000, 5, 16_384, 7, 2];
    let total = pieces.iter().sum::<usize>() * 20;
    let peer = std::thread::spawn(move || {
        let mut heard = Vec::new();
        far.read_to_end(&mut heard).unwrap();
        assert!(heard == pattern(total));
    });
    on_a_thread(true, move || async move {
        let mut socket = on_ring(near);
        let said = pattern(total);
        let mut left = &said[..];
        for piece in std::iter::repeat_n(pieces, 20).flatten() {
            socket.write_all(&left[..piece]).await.unwrap();
            left = &left[piece..];
        }
        socket.shutdown().await.unwrap();
    });
    peer.join().unwrap();
}

#[test]
fn a_socket_goes_on_with_another_thread_and_loses_nothing() {
    if is_forbidden() {
        return;
    }
    // Threads with rings, and some without.
    for later in [[true, true, true], [false, true, false]] {
        let (near, mut far) = pair();
        far.write_all(b"zero").unwrap();
        let mut socket = on_a_thread(true, move || async move {
            let mut socket = on_ring(near);
            let mut heard = [0; 2];
            socket.read_exact(&mut heard).await.unwrap();
            assert_eq!(&heard, b"ze");
            // Its receive waits as it goes, or has brought something.
            let waits = timeout(Duration::from_millis(20), socket.read_u64()).await;
            assert!(waits.is_err());
            socket.leave_ring().unwrap();
            socket
        });
        for (turn, has_ring) in (0_u8..).zip(later) {
            far.write_all(&[turn; 9]).unwrap();
            socket = on_a_thread(has_ring, move || async move {
                socket.join_this_runtime().unwrap();
                let mut heard = [0; 9];
                socket.read_exact(&mut heard).await.unwrap();
                assert_eq!(heard, [turn; 9]);
                socket.write_all(&heard).await.unwrap();
                let waits = timeout(Duration::from_millis(20), socket.read_u8()).await;
                assert!(waits.is_err());
                socket.leave_ring().unwrap();
                socket
            });
            let mut heard = [7; 9];
            far.read_exact(&mut heard).unwrap();
            assert_eq!(heard, [turn; 9]);
        }
        drop(socket);
        assert_eq!(far.read(&mut [0; 1]).unwrap(), 0);
    }
}

#[test]
fn what_waits_elsewhere_is_refused_and_not_lost() {
    if is_forbidden() {
        return;
    }
    let (near, mut far) = pair();
    let (send, receive) = std::sync::mpsc::channel::<PeerSocket>();
    let (done, is_done) = tokio::sync::oneshot::channel::<()>();
    let home = std::thread::spawn(move || {
        on_a_thread(true, move || async move {
            let mut socket = on_ring(near);
            assert!(
                timeout(Duration::from_millis(20), socket.read_u8())
                    .await
                    .is_err()
            );
            send.send(socket).unwrap();
            is_done.await.unwrap();
        });
    });
    let mut socket = receive.recv().unwrap();
    on_a_thread(true, move || async move {
        assert!(socket.leave_ring().is_err());
        assert!(socket.read_u8().await.is_err());
        // Gone on a thread that is not its ring's: that one closes it.
        drop(socket);
    });
    assert_eq!(far.read(&mut [0; 1]).unwrap(), 0);
    done.send(()).unwrap();
    home.join().unwrap();
}

#[test]
fn last_words_arrive_though_the_socket_is_dropped_behind_them() {
    if is_forbidden() {
        return;
    }
    let (near, mut far) = pair();
    on_a_thread(true, move || async move {
        let mut socket = on_ring(near);
        socket.write_all(b"last ").await.unwrap();
        socket.write_all(b"words").await.unwrap();
        drop(socket);
        tokio::time::sleep(Duration::from_millis(50)).await;
    });
    let mut heard = String::new();
    far.read_to_string(&mut heard).unwrap();
    assert_eq!(heard, "last words");
}

#[test]
fn who_does_not_read_makes_the_writer_wait_and_can_be_dropped() {
    if is_forbidden() {
        return;
    }
    let (near, mut far) = pair();
    let sent = on_a_thread(true, move || async move {
        let mut socket = on_ring(near);
        let mut sent = 0;
        let piece = pattern(1_000);
        while let Ok(written) = timeout(Duration::from_millis(300), socket.write(&piece)).await {
            sent += written.unwrap();
        }
        assert!(sent > SEND_WAITING_BYTES_MAX);
        let shuts = timeout(Duration::from_millis(50), socket.shutdown()).await;
        assert!(shuts.is_err(), "all was sent");
        drop(socket);
        tokio::time::sleep(Duration::from_millis(50)).await;
        sent
    });
    let mut heard = Vec::new();
    // The end, or a reset: what was not taken is lost, as with any socket that is closed.
    let _ = far.read_to_end(&mut heard);
    assert!(heard.len() <= sent && !heard.is_empty());
}

#[test]
fn a_receive_that_waits_for_long_goes_on_without_a_buffer() {
    if is_forbidden() {
        return;
    }
    let (near, mut far) = pair();
    on_a_thread(true, move || async move {
        let mut socket = on_ring(near);
        for turn in 0..2_u8 {
            let waits = timeout(RECEIVE_HELD_TIME * 3, socket.read_u8()).await;
            assert!(waits.is_err());
            assert_eq!(super::with(|ring| ring.has_holding()), Some(false));
            far.write_all(&[turn; 300]).unwrap();
            let mut heard = [9; 300];
            socket.read_exact(&mut heard).await.unwrap();
            assert_eq!(heard, [turn; 300]);
        }
    });
}

#[test]
fn hundreds_at_a_time_are_served_and_closed() {
    if is_forbidden() {
        return;
    }
    let pairs: Vec<_> = (0..300).map(|_| pair()).collect();
    let (near, far): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
    let peer = std::thread::spawn(move || {
        for turn in 0..5_u8 {
            for mut far in &far {
                far.write_all(&[turn; 10]).unwrap();
            }
            for mut far in &far {
                let mut heard = [9; 10];
                far.read_exact(&mut heard).unwrap();
                assert_eq!(heard, [turn; 10]);
            }
        }
        for mut far in &far {
            assert_eq!(far.read(&mut [0; 1]).unwrap(), 0);
        }
    });
    on_a_thread(true, move || async move {
        let echoes = near.into_iter().map(|near| {
            let mut socket = on_ring(near);
            tokio::spawn(async move {
                for _ in 0..5 {
                    let mut heard = [0; 10];
                    socket.read_exact(&mut heard).await.unwrap();
                    socket.write_all(&heard).await.unwrap();
                }
            })
        });
        let echoes: Vec<_> = echoes.collect();
        for echo in echoes {
            echo.await.unwrap();
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    });
    peer.join().unwrap();
}
