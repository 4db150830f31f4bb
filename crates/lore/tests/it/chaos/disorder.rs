//! Kills, suspends and resumes the processes of the workers.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::stress_worker::Random;

/// The processes that may be signalled, one per worker.
pub struct Processes(Mutex<Vec<Option<Pid>>>);

impl Processes {
    pub fn new(workers: usize) -> Processes {
        Processes(Mutex::new(vec![None; workers]))
    }

    /// Sets the process of a worker. It must be cleared before the process is waited for: its number may be reused then.
    pub fn set(&self, worker: usize, process: Option<u32>) {
        let process = process.map(|number| Pid::from_raw(number.try_into().expect("a process number")));
        self.0.lock().expect("nobody panicked")[worker] = process;
    }

    fn signal(&self, worker: usize, signal: Signal) -> Option<Pid> {
        let processes = self.0.lock().expect("nobody panicked");
        let process = (*processes.get(worker)?)?;
        kill(process, signal).ok().map(|()| process)
    }
}

/// What disturbs the workers.
pub struct Disorder {
    random: Random,
    pub kills: usize,
    pub suspensions: usize,
}

impl Disorder {
    pub fn new(seed: u64) -> Disorder {
        Disorder { random: Random(seed ^ 0xD150), kills: 0, suspensions: 0 }
    }

    /// Disturbs the workers until the other end of the channel is dropped.
    pub fn run(&mut self, processes: &Processes, stop: &Receiver<()>) {
        while self.pause(stop, 40) {
            let worker = self.random.below(super::WORKERS as u64) as usize;
            if self.random.below(3) == 0 {
                self.kills += usize::from(processes.signal(worker, Signal::SIGKILL).is_some());
            } else if let Some(process) = processes.signal(worker, Signal::SIGSTOP) {
                self.suspensions += 1;
                self.pause(stop, 120);
                // A suspended process cannot have ended, so the number is still its own.
                let _ = kill(process, Signal::SIGCONT);
            }
        }
    }

    /// Waits for some milliseconds, and returns whether to go on.
    fn pause(&mut self, stop: &Receiver<()>, at_most: u64) -> bool {
        let pause = Duration::from_millis(1 + self.random.below(at_most));
        stop.recv_timeout(pause) == Err(RecvTimeoutError::Timeout)
    }
}
