#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

extern char** environ;

namespace hone::testing {

/// A program started by a test, its output in files.
class Child {
 public:
  explicit Child(const std::vector<std::string>& arguments, const std::string& out = "/dev/null",
                 const std::string& errors = "/dev/null") {
    std::vector<char*> argv;
    for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC;
    posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), kFlags, 0644);
    posix_spawn_file_actions_addopen(&actions, 2, errors.c_str(), kFlags, 0644);
    EXPECT_EQ(posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
  }

  void send(int signal) const { kill(pid_, signal); }

  /// Waits at most `seconds`, then kills; the exit status, or -1 where it was killed.
  int wait(double seconds) {
    int status = 0;
    for (double waited = 0; waited < seconds; waited += 0.005) {
      if (waitpid(pid_, &status, WNOHANG) == pid_) {
        EXPECT_TRUE(WIFEXITED(status)) << "it ended with status " << status;
        return WEXITSTATUS(status);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    kill(pid_, SIGKILL);
    waitpid(pid_, &status, 0);
    return -1;
  }

 private:
  pid_t pid_ = -1;
};

}  // namespace hone::testing
